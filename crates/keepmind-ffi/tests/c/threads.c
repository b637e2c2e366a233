/* Many threads at once; closing, freeing and cancelling what others use. */
#include "check.h"

enum { THREADS = 32, ROUNDS = 8, USERS = 4 };

struct shared {
    struct host host;
    /* Raised by each thread for each round. */
    struct gate rounds;
};

static void *uses_the_chat(void *data)
{
    struct shared *shared = (struct shared *)data;
    km_session *session = shared->host.session;
    char *answer = NULL, content[64], call[128];
    int round;
    for (round = 0; round < ROUNDS; round++) {
        snprintf(content, sizeof content, "I drink tea %d times.", round);
        say(session, content);
        snprintf(call, sizeof call, "{\"name\":\"save_memory\",\"arguments\":{\"content\":\"Drinks tea %d times\"}}", round);
        OK(km_session_call_tool(session, TEXT(call), &answer, NULL));
        CHECK(strstr(answer, "\"message\":") != NULL);
        km_string_free(answer);
        OK(km_session_block(session, &answer, NULL));
        km_string_free(answer);
        OK(km_session_view(session, 100, &answer, NULL));
        km_string_free(answer);
        OK(km_session_call_tool(session, TEXT("{\"name\":\"nothing\"}"), &answer, NULL));
        km_string_free(answer);
        gate_raise(&shared->rounds);
    }
    OK(km_session_close(session, &answer, NULL));
    km_string_free(answer);
    return NULL;
}

static int times(const char *text, const char *wanted)
{
    int count = 0;
    while ((text = strstr(text, wanted)) != NULL) {
        text += strlen(wanted);
        count++;
    }
    return count;
}

static void thirty_two_threads_on_one_chat(void)
{
    struct shared shared = {{NULL, NULL, NULL, NULL}, GATE};
    pthread_t threads[THREADS];
    char pattern[64], *answer = NULL;
    int index;
    shared.host = host_on("threads.db");
    for (index = 0; index < THREADS; index++) {
        threads[index] = started(uses_the_chat, &shared);
    }
    for (index = 0; index < THREADS; index++) {
        joined(threads[index]);
    }
    CHECK(gate_count(&shared.rounds) == THREADS * ROUNDS);
    /* What all of them save is kept once. */
    OK(km_user_request(shared.host.user, TEXT("{\"query\":\"list\"}"), &answer, NULL));
    for (index = 0; index < ROUNDS; index++) {
        snprintf(pattern, sizeof pattern, "\"content\":\"Drinks tea %d times\"", index);
        check_status("kept", index, pattern, (km_status)times(answer, pattern), 1);
    }
    km_string_free(answer);
    OK(km_session_push(shared.host.session, KM_ROLE_USER, TEXT("The last."), NULL, 0, &answer, NULL));
    /* With a new block where it resumed the chat: whether the last close came while another was under way is chance. */
    snprintf(pattern, sizeof pattern, "\"number\":%d", THREADS * ROUNDS + 1);
    CHECK(strstr(answer, pattern) != NULL);
    km_string_free(answer);
    host_free(&shared.host);
}

#define TWELVE_OPEN "[[[[[[[[[[[["
#define TWELVE_CLOSED "]]]]]]]]]]]]"
/* Nearly as deep as a value may be. */
#define DEEP \
    TWELVE_OPEN TWELVE_OPEN TWELVE_OPEN TWELVE_OPEN TWELVE_OPEN \
    TWELVE_CLOSED TWELVE_CLOSED TWELVE_CLOSED TWELVE_CLOSED TWELVE_CLOSED

/* What the header asks of a thread's stack is enough for a chat's life on a file. */
static void *lives_a_chat(void *data)
{
    struct host host = host_on("stack.db");
    char *answer = NULL;
    km_error *error = NULL;
    (void)data;
    say(host.session, "I work as a carpenter.");
    OK(km_session_call_tool(host.session,
                            TEXT("{\"name\":\"save_memory\",\"arguments\":{\"content\":\"Works as a carpenter\"}}"),
                            &answer, NULL));
    km_string_free(answer);
    OK(km_user_request(host.user, TEXT("{\"query\":\"recall\",\"text\":\"carpenter\"}"), &answer, NULL));
    km_string_free(answer);
    OK(km_user_request(host.user,
                       TEXT("{\"command\":\"save\",\"content\":\"Plays chess\",\"key\":\"openings\",\"value\":" DEEP "}"),
                       &answer, NULL));
    km_string_free(answer);
    OK(km_session_request(host.session, TEXT("{\"query\":\"review\"}"), &answer, NULL));
    km_string_free(answer);
    OK(km_user_request(host.user, TEXT("{\"request\":\"export\"}"), &answer, NULL));
    km_string_free(answer);
    STATUS(KM_INVALID, km_user_request(host.user, TEXT("{\"query\":[[[[]]]]}"), &answer, &error));
    OK(km_error_free(error));
    OK(km_session_close(host.session, &answer, NULL));
    km_string_free(answer);
    OK(km_engine_sweep(host.engine, NULL, NULL, &answer, NULL));
    km_string_free(answer);
    host_free(&host);
    return NULL;
}

/* When a thread's own variables are gone, the library's among them. */
static void at_its_end(void *data)
{
    struct host *host = (struct host *)data;
    char *answer = NULL;
    say(host->session, "Good bye.");
    OK(km_user_request(host->user, TEXT("{\"command\":\"save\",\"content\":\"Drinks tea\"}"), &answer, NULL));
    km_string_free(answer);
    STATUS(KM_NULL, km_user_request(NULL, TEXT("{}"), &answer, NULL));
    host_free(host);
    (void)lives_a_chat(NULL);
}

static void *ends_with_a_chat(void *data)
{
    static struct host host;
    pthread_key_t *key = (pthread_key_t *)data;
    host = host_on("memory:");
    say(host.session, "I drink tea.");
    CHECK(pthread_setspecific(*key, &host) == 0);
    return NULL;
}

static void a_thread_that_ends(void)
{
    pthread_key_t key;
    CHECK(pthread_key_create(&key, at_its_end) == 0);
    joined(started(ends_with_a_chat, &key));
    CHECK(pthread_key_delete(key) == 0);
}

static void a_thread_with_little_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, KM_STACK_BYTES) == 0);
    CHECK(pthread_create(&thread, &attributes, lives_a_chat, NULL) == 0);
    joined(thread);
    CHECK(pthread_attr_destroy(&attributes) == 0);
}

/* Says things until it is told that there is no use, and that only as `wanted`. */
static void until(struct shared *shared, km_status wanted)
{
    for (;;) {
        char *answer = NULL;
        km_error *error = NULL;
        const km_status status =
            km_session_push(shared->host.session, KM_ROLE_USER, TEXT("I drink tea."), NULL, 0, &answer, &error);
        if (status != KM_OK) {
            STATUS(wanted, km_error_status(error));
            OK(km_error_free(error));
            return;
        }
        km_string_free(answer);
        gate_raise(&shared->rounds);
    }
}

static void *until_closed(void *data)
{
    until((struct shared *)data, KM_CLOSED);
    return NULL;
}

static void *until_stale(void *data)
{
    until((struct shared *)data, KM_STALE_HANDLE);
    return NULL;
}

static void in_use(const char *store, void *(*run)(void *), km_status (*end)(struct host *host))
{
    struct shared shared = {{NULL, NULL, NULL, NULL}, GATE};
    pthread_t threads[8];
    int index;
    shared.host = host_on(store);
    for (index = 0; index < 8; index++) {
        threads[index] = started(run, &shared);
    }
    gate_wait(&shared.rounds, 16);
    OK(end(&shared.host));
    for (index = 0; index < 8; index++) {
        joined(threads[index]);
    }
    /* What was ended twice says so, and hurts nobody. */
    (void)km_session_free(shared.host.session);
    (void)km_user_free(shared.host.user);
    (void)km_engine_free(shared.host.engine);
    OK(km_config_free(shared.host.config));
}

static km_status end_by_closing(struct host *host)
{
    return km_engine_close(host->engine, NULL);
}

static km_status end_by_freeing(struct host *host)
{
    return km_engine_free(host->engine);
}

static km_status end_the_chat(struct host *host)
{
    return km_session_free(host->session);
}

static void closed_while_in_use(void)
{
    in_use("memory:", until_closed, end_by_closing);
    in_use("closed.db", until_closed, end_by_closing);
}

static void freed_while_in_use(void)
{
    in_use("memory:", until_closed, end_by_freeing);
    in_use("freed.db", until_closed, end_by_freeing);
    in_use("memory:", until_stale, end_the_chat);
}

/* A model that is asked and keeps everybody waiting. */
struct silence {
    struct gate asked;
    km_session *session;
    km_status ended;
};

static void model_is_silent(void *data, const char *request, km_reply *reply)
{
    struct silence *silence = (struct silence *)data;
    (void)request, (void)reply;
    gate_raise(&silence->asked);
}

static void *closes_the_chat(void *data)
{
    struct silence *silence = (struct silence *)data;
    char *closed = NULL;
    silence->ended = km_session_close(silence->session, &closed, NULL);
    if (silence->ended == KM_OK) {
        km_string_free(closed);
    }
    return NULL;
}

static struct host silent_host(struct silence *silence)
{
    km_config *config = new_config("memory:");
    struct host host;
    OK(km_config_set_model(config, model_is_silent, silence, NULL, NULL));
    host = host_of(config);
    silence->session = host.session;
    say(host.session, "I drink tea every day.");
    return host;
}

static void cancelled_while_the_model_is_asked(void)
{
    struct silence silence = {GATE, NULL, KM_OK};
    struct host host = silent_host(&silence);
    pthread_t thread;
    char *closed = NULL;
    /* With nobody waiting it ends nothing, now and later. */
    OK(km_session_cancel(host.session, NULL));
    thread = started(closes_the_chat, &silence);
    gate_wait(&silence.asked, 1);
    OK(km_session_cancel(host.session, NULL));
    joined(thread);
    STATUS(KM_CANCELLED, silence.ended);
    /* Its lease has not run out; everything else goes on. */
    OK(km_session_close(host.session, &closed, NULL));
    CHECK(strstr(closed, "by_another") != NULL);
    km_string_free(closed);
    CHECK(gate_count(&silence.asked) == 1);
    say(host.session, "And coffee.");
    host_free(&host);
}

static void closed_while_the_model_is_asked(void)
{
    struct silence silence = {GATE, NULL, KM_OK};
    struct host host = silent_host(&silence);
    pthread_t thread = started(closes_the_chat, &silence);
    gate_wait(&silence.asked, 1);
    OK(km_engine_close(host.engine, NULL));
    joined(thread);
    CHECK(silence.ended == KM_OK || silence.ended == KM_CLOSED);
    host_free(&host);
}

static int32_t stops_after_one(void *data, const char *progress)
{
    CHECK(strstr(progress, "\"owners\":") != NULL);
    count_up(data);
    return 1;
}

static int32_t goes_on(void *data, const char *progress)
{
    CHECK(strstr(progress, "\"done\":") != NULL);
    count_up(data);
    return 0;
}

static void a_sweep_that_is_stopped(void)
{
    struct host host = host_on("memory:");
    char name[16], *report = NULL;
    int index, heard = 0;
    for (index = 0; index < USERS; index++) {
        km_user *user = NULL;
        km_session *session = NULL;
        snprintf(name, sizeof name, "user-%d", index);
        OK(km_engine_user(host.engine, TEXT(name), NULL, 0, &user, NULL));
        OK(km_session_open(user, &session, NULL));
        say(session, "I drink tea.");
        OK(km_session_free(session));
        OK(km_user_free(user));
    }
    OK(km_engine_sweep(host.engine, stops_after_one, &heard, &report, NULL));
    CHECK(heard == 1 && strstr(report, "\"stopped\":true") != NULL);
    km_string_free(report);
    heard = 0;
    OK(km_engine_sweep(host.engine, goes_on, &heard, &report, NULL));
    CHECK(heard > USERS && strstr(report, "\"stopped\":false") != NULL);
    km_string_free(report);
    host_free(&host);
}

static void *opens_and_frees(void *data)
{
    km_engine *engine = NULL;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        OK(km_engine_open((km_config *)data, &engine, NULL));
        OK(km_engine_free(engine));
    }
    return NULL;
}

static void one_configuration_for_many_threads(void)
{
    km_config *config = new_config("shared.db");
    pthread_t threads[4];
    int index;
    for (index = 0; index < 4; index++) {
        threads[index] = started(opens_and_frees, config);
    }
    set(config, "model_retries", "1");
    for (index = 0; index < 4; index++) {
        joined(threads[index]);
    }
    OK(km_config_free(config));
}

const struct test thread_tests[] = {
    {"thirty_two_threads_on_one_chat", thirty_two_threads_on_one_chat},
    {"a_thread_with_little_stack", a_thread_with_little_stack},
    {"a_thread_that_ends", a_thread_that_ends},
    {"closed_while_in_use", closed_while_in_use},
    {"freed_while_in_use", freed_while_in_use},
    {"cancelled_while_the_model_is_asked", cancelled_while_the_model_is_asked},
    {"closed_while_the_model_is_asked", closed_while_the_model_is_asked},
    {"a_sweep_that_is_stopped", a_sweep_that_is_stopped},
    {"one_configuration_for_many_threads", one_configuration_for_many_threads},
    {NULL, NULL},
};
