/* What the hostile programs share: checks that say where, a host to be hostile to, gates to wait at, and the
 * table of all functions.
 *
 * Nothing here waits for time to pass: who waits, waits for something that happens. */
#ifndef CHECK_H
#define CHECK_H

#define _POSIX_C_SOURCE 200809L

#include <keepmind.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(text) (text), strlen(text)

void failed(const char *file, int line, const char *what);
#define CHECK(holds) ((holds) ? (void)0 : failed(__FILE__, __LINE__, #holds))

void check_status(const char *file, int line, const char *call, km_status got, km_status wanted);
#define STATUS(wanted, call) check_status(__FILE__, __LINE__, #call, (call), (wanted))
#define OK(call) STATUS(KM_OK, call)

/* A number that goes up, and threads that wait until it has. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t raised;
    int count;
};
#define GATE {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}
void gate_raise(struct gate *gate);
void gate_wait(struct gate *gate, int count);
int gate_count(struct gate *gate);

pthread_t started(void *(*run)(void *), void *data);
void joined(pthread_t thread);

/* An engine with a user and a chat. */
struct host {
    km_config *config;
    km_engine *engine;
    km_user *user;
    km_session *session;
};
km_config *new_config(const char *store);
void set(km_config *config, const char *key, const char *value);
/* Opens what `config` says, and takes it over. */
struct host host_of(km_config *config);
struct host host_on(const char *store);
void host_free(struct host *host);
void say(km_session *session, const char *content);
/* Counts how often a finaliser was called; the data is an int. */
void count_up(void *data);

/* One way to call one function, with one argument for each thing that can be wrong. What is not tried out is
 * a good value of its own. */
struct arguments {
    void *handle;
    const char *text;
    size_t length;
    void **out;
    km_error **error;
};
enum kind { ERROR = 1, REPLY, CONFIG, ENGINE, USER, SESSION };
enum {
    HAS_TEXT = 1,   /* a text that is needed */
    MAY_TEXT = 2,   /* a text that may be NULL */
    HAS_OUT = 4,    /* an answer that the caller owns */
    FREES = 8,      /* NULL is fine, and the handle is gone afterwards */
    ANYWHERE = 16,  /* also inside a callback */
    NO_ERROR = 32,  /* says no more than its status */
    STAYS = 64      /* can be called after the engine was closed */
};
struct function {
    const char *name;
    enum kind kind;
    int has;
    km_status (*call)(const struct arguments *arguments);
    /* A text that makes it succeed; NULL where it has none. */
    const char *good;
    /* How it ends with an empty text. */
    km_status empty;
};
extern const struct function functions[];
extern const size_t function_count;
/* The host's handle of that kind; `error` and `reply` where the host has none. */
void *handle_of(const struct host *host, enum kind kind, km_error *error, km_reply *reply);
/* Frees what a function of the table answered. */
void free_answer(const struct function *function, void *answer);
/* Calls it and checks what every call promises: an answer only where it is KM_OK, an error only where not. */
km_status called(const struct function *function, struct arguments arguments);

/* What this program was started as. */
extern const char *program;
/* Exits with an engine open, a call under way and a callback that does not return. */
void leave(void);
/* Exits, and uses, closes and frees an engine at the end of the program. */
void leave_tidily(void);

/* A case of the table in main.c. */
struct test {
    const char *name;
    void (*run)(void);
};
extern const struct test argument_tests[], handle_tests[], callback_tests[], finalizer_tests[], thread_tests[],
    process_tests[];

#endif
