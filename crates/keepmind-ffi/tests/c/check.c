#include "check.h"

#include <unistd.h>

void failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    fflush(stderr);
    /* Other threads may hold anything: nothing is cleaned up. */
    _exit(1);
}

void check_status(const char *file, int line, const char *call, km_status got, km_status wanted)
{
    if (got != wanted) {
        char what[512];
        snprintf(what, sizeof what, "%s: status %u, not %u", call, (unsigned)got, (unsigned)wanted);
        failed(file, line, what);
    }
}

void gate_raise(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->count++;
    pthread_cond_broadcast(&gate->raised);
    pthread_mutex_unlock(&gate->lock);
}

void gate_wait(struct gate *gate, int count)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->count < count) {
        pthread_cond_wait(&gate->raised, &gate->lock);
    }
    pthread_mutex_unlock(&gate->lock);
}

int gate_count(struct gate *gate)
{
    int count;
    pthread_mutex_lock(&gate->lock);
    count = gate->count;
    pthread_mutex_unlock(&gate->lock);
    return count;
}

pthread_t started(void *(*run)(void *), void *data)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, data) == 0);
    return thread;
}

void joined(pthread_t thread)
{
    CHECK(pthread_join(thread, NULL) == 0);
}

km_config *new_config(const char *store)
{
    km_config *config = NULL;
    OK(km_config_new(&config, NULL));
    set(config, "store", store);
    /* What is tried out here is the border, not the disk. */
    set(config, "durability", "off");
    return config;
}

void set(km_config *config, const char *key, const char *value)
{
    OK(km_config_set(config, TEXT(key), TEXT(value), NULL));
}

struct host host_of(km_config *config)
{
    struct host host = {NULL, NULL, NULL, NULL};
    host.config = config;
    OK(km_engine_open(host.config, &host.engine, NULL));
    OK(km_engine_user(host.engine, TEXT("alice"), NULL, 0, &host.user, NULL));
    OK(km_session_open(host.user, &host.session, NULL));
    return host;
}

struct host host_on(const char *store)
{
    return host_of(new_config(store));
}

void host_free(struct host *host)
{
    OK(km_session_free(host->session));
    OK(km_user_free(host->user));
    OK(km_engine_free(host->engine));
    OK(km_config_free(host->config));
}

void say(km_session *session, const char *content)
{
    char *pushed = NULL;
    OK(km_session_push(session, KM_ROLE_USER, TEXT(content), NULL, 0, &pushed, NULL));
    km_string_free(pushed);
}

void count_up(void *data)
{
    ++*(int *)data;
}
