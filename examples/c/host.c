/* A host of keepmind in one file: a chat whose assistant remembers. The model is played by a thread of this
 * program, which answers later, as a client of a real model would. Run it twice: what was learned the first
 * time stands in the prompt the second time.
 *
 *     host [FILE]     memories are kept in FILE, or in host.db
 */
#define _POSIX_C_SOURCE 200809L

#include <keepmind.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every text goes in as a pointer and a length, so that any language can pass what it has. */
#define TEXT(text) (text), strlen(text)

/* What failed, and the end. A host that stays up would look at the status instead: KM_BUSY and whatever
 * km_error_is_retryable says 1 to can be tried again, the rest is for a log. */
static void must(km_status status, km_error **error, const char *what)
{
    if (status == KM_OK) {
        return;
    }
    /* The message is for a developer and holds none of the user's words: it may be logged. It is looked at here, and not
     * where the call stands: C does not say which of two arguments is made first. */
    fprintf(stderr, "%s: status %u: %s\n", what, (unsigned)status, km_error_message(*error));
    km_error_free(*error);
    exit(1);
}

static void *allocated(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

static char *copy_of(const char *text, size_t length)
{
    char *copy = (char *)allocated(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* The first string of that name in a JSON text, or NULL. Enough for what is read here, and it leaves escapes
 * as they are: a real host has a JSON library. */
static char *string_field(const char *json, const char *name)
{
    char pattern[64];
    const char *start, *end;
    snprintf(pattern, sizeof pattern, "\"%s\":\"", name);
    start = strstr(json, pattern);
    if (start == NULL) {
        return NULL;
    }
    start += strlen(pattern);
    for (end = start; *end != '\0' && *end != '"'; end++) {
        if (*end == '\\' && end[1] != '\0') {
            end++;
        }
    }
    return copy_of(start, (size_t)(end - start));
}

static void print_field(const char *label, const char *json, const char *name)
{
    char *text = string_field(json, name);
    printf("%-12s%s\n", label, text != NULL ? text : "(nothing)");
    free(text);
}

/* The model: questions wait in a list, one thread answers them. */

struct question {
    char *request;
    km_reply *reply;
    struct question *next;
};

struct model {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct question *first;
    int is_over;
    pthread_t thread;
};

static void answer(const struct question *question)
{
    /* What a real model writes when it is asked what is worth remembering. Code decides whether it is kept:
     * the quote must stand in what the user wrote. */
    static const char learned[] =
        "{\"ops\":[{\"op\":\"add\",\"content\":\"User works as a carpenter\","
        "\"quote\":\"I work as a carpenter\",\"confidence\":0.9}]}";
    char *task = string_field(question->request, "task");
    km_status status;
    if (task != NULL && strcmp(task, "extract") == 0) {
        printf("%-12sasked what to remember; answers from its own thread\n", "model");
        status = km_reply_text(question->reply, TEXT(learned), NULL);
    } else {
        /* Titles and summaries can do without: the library writes them itself then. */
        status = km_reply_failure(question->reply, TEXT("not asked for in this example"), 0, NULL);
    }
    if (status == KM_STALE_HANDLE) {
        /* Nobody waits any more: the deadline has passed, or the engine was closed. That is no mistake. */
        printf("%-12swas too late\n", "model");
    }
    free(task);
}

static void *answer_questions(void *data)
{
    struct model *model = (struct model *)data;
    for (;;) {
        struct question *question;
        pthread_mutex_lock(&model->lock);
        while (model->first == NULL && !model->is_over) {
            pthread_cond_wait(&model->changed, &model->lock);
        }
        question = model->first;
        if (question != NULL) {
            model->first = question->next;
        }
        pthread_mutex_unlock(&model->lock);
        if (question == NULL) {
            return NULL;
        }
        answer(question);
        free(question->request);
        free(question);
    }
}

/* The callback only takes the question: it returns at once, and the thread above answers. */
static void take_question(void *data, const char *request, km_reply *reply)
{
    struct model *model = (struct model *)data;
    struct question *question = (struct question *)allocated(sizeof *question);
    /* The request is borrowed for this call; the reply is ours until it is completed. */
    question->request = copy_of(request, strlen(request));
    question->reply = reply;
    pthread_mutex_lock(&model->lock);
    question->next = model->first;
    model->first = question;
    pthread_cond_signal(&model->changed);
    pthread_mutex_unlock(&model->lock);
}

static struct model *start_model(void)
{
    struct model *model = (struct model *)allocated(sizeof *model);
    pthread_mutex_init(&model->lock, NULL);
    pthread_cond_init(&model->changed, NULL);
    model->first = NULL;
    model->is_over = 0;
    if (pthread_create(&model->thread, NULL, answer_questions, model) != 0) {
        fprintf(stderr, "no thread\n");
        exit(1);
    }
    return model;
}

/* The finaliser: called once, when the library cannot ask any more. Only now may the data go. */
static void stop_model(void *data)
{
    struct model *model = (struct model *)data;
    pthread_mutex_lock(&model->lock);
    model->is_over = 1;
    pthread_cond_signal(&model->changed);
    pthread_mutex_unlock(&model->lock);
    pthread_join(model->thread, NULL);
    pthread_cond_destroy(&model->changed);
    pthread_mutex_destroy(&model->lock);
    free(model);
}

static km_engine *open_engine(const char *path)
{
    km_config *config = NULL;
    km_engine *engine = NULL;
    km_error *error = NULL;
    must(km_config_new(&config, &error), &error, "config");
    must(km_config_set(config, TEXT("store"), TEXT(path), &error), &error, "store");
    must(km_config_set(config, TEXT("preset"), TEXT("advisor"), &error), &error, "preset");
    must(km_config_set_model(config, take_question, start_model(), stop_model, &error), &error, "model");
    must(km_engine_open(config, &engine, &error), &error, "open");
    /* The engine keeps what it needs of it. */
    km_config_free(config);
    return engine;
}

/* One turn: what the user said, and what the user's model does about it. */
static void talk(km_session *session, km_user *user)
{
    /* A host hands over the call as the model's provider wrote it; here is one in OpenAI's shape. */
    static const char call[] =
        "{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"save_preference\","
        "\"arguments\":\"{\\\"content\\\":\\\"Only buys funds\\\",\\\"category\\\":\\\"finance_context\\\"}\"}}";
    static const char said[] = "I only buy funds. By the way, I work as a carpenter.";
    km_error *error = NULL;
    char *tools = NULL, *pushed = NULL, *reply = NULL, *message, *token;

    must(km_session_tools(session, KM_TOOLS_OPENAI, &tools, &error), &error, "tools");
    printf("%-12s%lu bytes of JSON, to send to the model as they are\n", "tools", (unsigned long)strlen(tools));
    km_string_free(tools);

    /* Every message goes in as it is said: what the user wrote is the evidence for what is remembered. */
    must(km_session_push(session, KM_ROLE_USER, TEXT(said), NULL, 0, &pushed, &error), &error, "push");
    km_string_free(pushed);
    printf("%-12s%s\n", "user", said);

    /* Whatever a model writes, the call succeeds; the reply tells the model what was wrong. */
    must(km_session_call_tool(session, TEXT(call), &reply, &error), &error, "tool");
    message = string_field(reply, "message");
    print_field("tool", reply, "message");
    must(km_session_push(session, KM_ROLE_TOOL, TEXT(message != NULL ? message : ""),
                         TEXT("{\"calls\":[\"call_1\"]}"), &pushed, &error),
         &error, "push");
    km_string_free(pushed);
    free(message);

    /* Every write comes with a token; here the user changes their mind. */
    token = string_field(reply, "undo");
    if (token != NULL) {
        char request[256], *undone = NULL;
        snprintf(request, sizeof request, "{\"command\":\"undo\",\"token\":\"%s\"}", token);
        must(km_user_request(user, TEXT(request), &undone, &error), &error, "undo");
        print_field("undo", undone, "line");
        km_string_free(undone);
        free(token);
    }
    km_string_free(reply);
}

int main(int count, char **arguments)
{
    const char *path = count > 1 ? arguments[1] : "host.db";
    km_engine *engine;
    km_user *user = NULL;
    km_session *session = NULL;
    km_error *error = NULL;
    km_status status;
    char *text = NULL;

    if (km_abi() != KM_ABI) {
        fprintf(stderr, "compiled for another version of the library\n");
        return 1;
    }
    engine = open_engine(path);
    printf("%-12s%s, memories in %s\n", "keepmind", km_version(), path);

    /* The name is the host's own id of the user: no call reaches another user's memory. */
    must(km_engine_user(engine, TEXT("alice"), NULL, 0, &user, &error), &error, "user");
    must(km_session_open(user, &session, &error), &error, "session");
    must(km_session_block(session, &text, &error), &error, "block");
    printf("%-12s%s\n", "block", strstr(text, "carpenter") != NULL ? "the prompt says: a carpenter"
                                                                   : "nothing is known of this user yet");
    km_string_free(text);

    talk(session, user);

    /* The chat is over. This waits for the model; km_session_cancel would end it from another thread. */
    must(km_session_close(session, &text, &error), &error, "close");
    print_field("learned", text, "content");
    print_field("because", text, "quote");
    km_string_free(text);

    must(km_user_request(user, TEXT("{\"query\":\"recall\",\"text\":\"carpenter\"}"), &text, &error), &error, "recall");
    print_field("recall", text, "content");
    km_string_free(text);

    /* Now and then, from a timer: finishes what a crash or a failing model left undone. */
    must(km_engine_sweep(engine, NULL, NULL, &text, &error), &error, "sweep");
    printf("%-12s%s\n", "sweep", text);
    km_string_free(text);

    /* A failure that the host can act on: a status to branch on, and an object that says more. */
    status = km_user_request(user, TEXT("{\"command\":\"forget\",\"target\":\"#99\"}"), &text, &error);
    if (status != KM_OK) {
        const char *code = km_error_code(error);
        printf("%-12sstatus %u, %s: %s\n", "an error", (unsigned)status, code != NULL ? code : "no code",
               km_error_message(error));
        km_error_free(error);
    }

    /* In any order; each handle once. Freeing the engine also closes it and lets go of the model. */
    km_session_free(session);
    km_user_free(user);
    km_engine_free(engine);
    return 0;
}
