/* A finaliser is called once, whatever becomes of what it was given for. */
#include "check.h"

static void model_says_nothing(void *data, const char *request, km_reply *reply)
{
    (void)data, (void)request;
    (void)km_reply_text(reply, TEXT("{\"ops\":[]}"), NULL);
}

static void line_is_ignored(void *data, uint32_t level, const char *message)
{
    (void)data, (void)level, (void)message;
}

/* Sets all three, so that a count of three is once each. */
static void set_all(km_config *config, km_status wanted, int *finalized)
{
    STATUS(wanted, km_config_set_model(config, model_says_nothing, finalized, count_up, NULL));
    STATUS(wanted, km_config_set_embedder(config, TEXT("e-1"), 3, model_says_nothing, finalized, count_up, NULL));
    STATUS(wanted, km_config_set_log(config, line_is_ignored, finalized, count_up, NULL));
}

static void where_setting_fails(void)
{
    km_config *config = new_config("memory:");
    struct host host = host_on("memory:");
    int finalized = 0;
    set_all(NULL, KM_NULL, &finalized);
    CHECK(finalized == 3);
    set_all((km_config *)(void *)host.engine, KM_WRONG_HANDLE, &finalized);
    CHECK(finalized == 6);
    STATUS(KM_INVALID, km_config_set_embedder(config, TEXT("e"), 0, model_says_nothing, &finalized, count_up, NULL));
    STATUS(KM_INVALID, km_config_set_embedder(config, "e", 0, 3, model_says_nothing, &finalized, count_up, NULL));
    STATUS(KM_NOT_UTF8,
           km_config_set_embedder(config, "\xff", 1, 3, model_says_nothing, &finalized, count_up, NULL));
    CHECK(finalized == 9);
    OK(km_config_free(config));
    set_all(config, KM_STALE_HANDLE, &finalized);
    CHECK(finalized == 12);
    host_free(&host);
}

static void where_it_is_never_opened(void)
{
    km_config *config = new_config("memory:");
    int finalized = 0;
    set_all(config, KM_OK, &finalized);
    CHECK(finalized == 0);
    OK(km_config_free(config));
    CHECK(finalized == 3);
}

static void where_another_takes_its_place(void)
{
    km_config *config = new_config("memory:");
    int first = 0, second = 0;
    set_all(config, KM_OK, &first);
    set_all(config, KM_OK, &second);
    CHECK(first == 3 && second == 0);
    OK(km_config_free(config));
    CHECK(first == 3 && second == 3);
}

static void where_opening_fails(void)
{
    km_config *config = new_config("no such folder/file.db");
    km_engine *engine = NULL;
    int finalized = 0;
    set_all(config, KM_OK, &finalized);
    CHECK(km_engine_open(config, &engine, NULL) != KM_OK && engine == NULL);
    /* The configuration can be mended and used again. */
    CHECK(finalized == 0);
    set(config, "store", "memory:");
    OK(km_engine_open(config, &engine, NULL));
    OK(km_config_free(config));
    CHECK(finalized == 0);
    OK(km_engine_free(engine));
    CHECK(finalized == 3);
}

static void where_two_engines_share_it(void)
{
    km_config *config = new_config("memory:");
    km_engine *first = NULL, *second = NULL;
    int finalized = 0;
    set_all(config, KM_OK, &finalized);
    OK(km_engine_open(config, &first, NULL));
    OK(km_engine_open(config, &second, NULL));
    OK(km_config_free(config));
    OK(km_engine_free(first));
    CHECK(finalized == 0);
    OK(km_engine_close(second, NULL));
    OK(km_engine_free(second));
    CHECK(finalized == 3);
}

static void where_handles_outlive_the_engine(void)
{
    km_config *config = new_config("memory:");
    struct host host;
    int finalized = 0;
    set_all(config, KM_OK, &finalized);
    host = host_of(config);
    say(host.session, "I drink tea.");
    OK(km_config_free(host.config));
    OK(km_engine_free(host.engine));
    OK(km_user_free(host.user));
    OK(km_session_free(host.session));
    CHECK(finalized == 3);
}

static void where_there_is_none(void)
{
    km_config *config = new_config("memory:");
    OK(km_config_set_model(config, model_says_nothing, NULL, NULL, NULL));
    OK(km_config_set_log(config, line_is_ignored, NULL, NULL, NULL));
    OK(km_config_free(config));
}

struct pending {
    struct gate asked;
    struct gate finalized;
    km_reply *reply;
};

static void model_keeps_the_reply(void *data, const char *request, km_reply *reply)
{
    struct pending *pending = (struct pending *)data;
    (void)request;
    pending->reply = reply;
    gate_raise(&pending->asked);
}

static void pending_is_over(void *data)
{
    gate_raise(&((struct pending *)data)->finalized);
}

static void *closes_the_chat(void *data)
{
    char *closed = NULL;
    const km_status status = km_session_close((km_session *)data, &closed, NULL);
    CHECK(status == KM_OK || status == KM_CLOSED);
    if (status == KM_OK) {
        km_string_free(closed);
    }
    return NULL;
}

static void where_a_question_is_never_answered(void)
{
    struct pending pending = {GATE, GATE, NULL};
    km_config *config = new_config("memory:");
    struct host host;
    pthread_t thread;
    OK(km_config_set_model(config, model_keeps_the_reply, &pending, pending_is_over, NULL));
    host = host_of(config);
    say(host.session, "I drink tea.");
    thread = started(closes_the_chat, host.session);
    gate_wait(&pending.asked, 1);
    /* While the question waits. */
    OK(km_engine_close(host.engine, NULL));
    joined(thread);
    STATUS(KM_STALE_HANDLE, km_reply_text(pending.reply, TEXT("{}"), NULL));
    CHECK(gate_count(&pending.finalized) == 0);
    host_free(&host);
    gate_wait(&pending.finalized, 1);
    CHECK(gate_count(&pending.finalized) == 1);
}

struct running {
    struct gate asked;
    struct gate may_return;
    struct gate returned;
    struct gate finalized;
};

static void model_takes_its_time(void *data, const char *request, km_reply *reply)
{
    struct running *running = (struct running *)data;
    (void)request;
    gate_raise(&running->asked);
    gate_wait(&running->may_return, 1);
    STATUS(KM_STALE_HANDLE, km_reply_text(reply, TEXT("{}"), NULL));
    gate_raise(&running->returned);
}

static void running_is_over(void *data)
{
    struct running *running = (struct running *)data;
    CHECK(gate_count(&running->returned) == 1);
    gate_raise(&running->finalized);
}

static void where_a_callback_still_runs(void)
{
    struct running running = {GATE, GATE, GATE, GATE};
    km_config *config = new_config("memory:");
    struct host host;
    pthread_t thread;
    OK(km_config_set_model(config, model_takes_its_time, &running, running_is_over, NULL));
    host = host_of(config);
    say(host.session, "I drink tea.");
    thread = started(closes_the_chat, host.session);
    gate_wait(&running.asked, 1);
    OK(km_engine_close(host.engine, NULL));
    joined(thread);
    /* The last handle of all: what the callback works with stays until it returns. */
    host_free(&host);
    CHECK(gate_count(&running.finalized) == 0);
    gate_raise(&running.may_return);
    gate_wait(&running.finalized, 1);
}

const struct test finalizer_tests[] = {
    {"finalised_where_setting_fails", where_setting_fails},
    {"finalised_where_it_is_never_opened", where_it_is_never_opened},
    {"finalised_where_another_takes_its_place", where_another_takes_its_place},
    {"finalised_where_opening_fails", where_opening_fails},
    {"finalised_where_two_engines_share_it", where_two_engines_share_it},
    {"finalised_where_handles_outlive_the_engine", where_handles_outlive_the_engine},
    {"finalised_where_there_is_none", where_there_is_none},
    {"finalised_where_a_question_is_never_answered", where_a_question_is_never_answered},
    {"finalised_where_a_callback_still_runs", where_a_callback_still_runs},
    {NULL, NULL},
};
