/* Models and embedders that answer wrongly, twice, late, never, or call back. */
#include "check.h"

#define NOTHING "{\"ops\":[]}"
#define LEARNED                                                          \
    "{\"ops\":[{\"op\":\"add\",\"content\":\"User drinks tea\","         \
    "\"quote\":\"I drink tea\",\"confidence\":0.9}]}"

/* What a callback is given: where it notes what happened. */
struct witness {
    struct gate asked;
    struct host *host;
    km_reply *kept;
};
#define WITNESS {GATE, NULL, NULL}

static struct host host_asking(km_model_callback model, struct witness *witness)
{
    km_config *config = new_config("memory:");
    set(config, "model_retries", "0");
    OK(km_config_set_model(config, model, witness, NULL, NULL));
    return host_of(config);
}

/* Has the chat learned from; the model is asked once. Says whether the tea was kept. */
static int learns_tea(const struct host *host)
{
    char *closed = NULL;
    int is_kept;
    say(host->session, "I drink tea every day.");
    OK(km_session_close(host->session, &closed, NULL));
    is_kept = strstr(closed, "User drinks tea") != NULL;
    km_string_free(closed);
    return is_kept;
}

/* Calls every function, where only replies, strings and errors may be used. */
static void reenter(struct host *host)
{
    struct host nobody = {NULL, NULL, NULL, NULL};
    char somewhere[1];
    km_config *config = NULL;
    km_error *error = NULL;
    char *report = NULL;
    int finalized = 0;
    size_t index;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        struct arguments arguments = {NULL, NULL, 0, NULL, NULL};
        if (function->has & ANYWHERE) {
            continue;
        }
        arguments.handle = handle_of(host != NULL ? host : &nobody, function->kind, NULL, NULL);
        arguments.text = function->good != NULL ? function->good : "none";
        arguments.length = strlen(arguments.text);
        arguments.out = function->has & HAS_OUT ? (void **)(void *)somewhere : NULL;
        check_status(function->name, 0, "called back", called(function, arguments),
                     function->has & FREES && arguments.handle == NULL ? KM_OK : KM_REENTRANT);
    }
    STATUS(KM_REENTRANT, km_copy(TEXT("one.db"), TEXT("two.db"), 0, NULL, NULL, &report, NULL));
    STATUS(KM_REENTRANT, km_config_new(&config, &error));
    CHECK(km_error_status(error) == KM_REENTRANT && strlen(km_error_message(error)) > 0);
    OK(km_error_free(error));
    STATUS(KM_REENTRANT, km_config_set_model(host != NULL ? host->config : NULL, NULL, &finalized, count_up, NULL));
    CHECK(finalized == 1);
    CHECK(km_abi() == KM_ABI && strlen(km_version()) > 0);
}

static void model_reenters(void *data, const char *request, km_reply *reply)
{
    struct witness *witness = (struct witness *)data;
    (void)request;
    reenter(witness->host);
    OK(km_reply_text(reply, TEXT(LEARNED), NULL));
    gate_raise(&witness->asked);
}

static void a_model_that_calls_back(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_reenters, &witness);
    witness.host = &host;
    CHECK(learns_tea(&host));
    gate_wait(&witness.asked, 1);
    /* Nothing was freed or closed by it. */
    say(host.session, "Good.");
    host_free(&host);
}

static void embedder_reenters(void *data, const char *request, km_reply *reply)
{
    static const float vector[3] = {1.0F, 0.0F, 0.0F};
    /* As it lies in a message that came from elsewhere. */
    static char packed[1 + sizeof vector];
    const float *const unaligned = (const float *)(const void *)(packed + 1);
    struct witness *witness = (struct witness *)data;
    memcpy(packed + 1, vector, sizeof vector);
    CHECK(strstr(request, "texts") != NULL);
    reenter(witness->host);
    STATUS(KM_INVALID, km_reply_text(reply, TEXT("tea"), NULL));
    STATUS(KM_NULL, km_reply_vectors(reply, NULL, 1, 3, NULL));
    STATUS(KM_INVALID, km_reply_vectors(reply, vector, 1, 0, NULL));
    STATUS(KM_TOO_LONG, km_reply_vectors(reply, vector, SIZE_MAX, 3, NULL));
    STATUS(KM_TOO_LONG, km_reply_vectors(reply, vector, SIZE_MAX / 4, 4, NULL));
    STATUS(KM_TOO_LONG, km_reply_vectors(reply, vector, 1, SIZE_MAX, NULL));
    OK(km_reply_vectors(reply, unaligned, 1, 3, NULL));
    STATUS(KM_STALE_HANDLE, km_reply_vectors(reply, vector, 1, 3, NULL));
    gate_raise(&witness->asked);
}

static int32_t progress_reenters(void *data, const char *progress)
{
    struct witness *witness = (struct witness *)data;
    CHECK(strstr(progress, "owner") != NULL);
    reenter(witness->host);
    gate_raise(&witness->asked);
    return 0;
}

static void line_reenters(void *data, uint32_t level, const char *message)
{
    struct witness *witness = (struct witness *)data;
    CHECK(level >= KM_LOG_ERROR && level <= KM_LOG_INFO && strlen(message) > 0);
    reenter(witness->host);
    gate_raise(&witness->asked);
}

static void finalizer_reenters(void *data)
{
    struct witness *witness = (struct witness *)data;
    reenter(NULL);
    gate_raise(&witness->asked);
}

static void every_other_callback_that_calls_back(void)
{
    struct witness embedder = WITNESS, log = WITNESS, progress = WITNESS;
    struct host host;
    char *answer = NULL;
    km_config *config = new_config("memory:");
    OK(km_config_set_embedder(config, TEXT("e-1"), 3, embedder_reenters, &embedder, finalizer_reenters, NULL));
    OK(km_config_set_log(config, line_reenters, &log, finalizer_reenters, NULL));
    host = host_of(config);
    embedder.host = &host;
    log.host = &host;
    progress.host = &host;
    OK(km_user_request(host.user, TEXT("{\"command\":\"save\",\"content\":\"Drinks tea\"}"), &answer, NULL));
    km_string_free(answer);
    OK(km_engine_sweep(host.engine, progress_reenters, &progress, &answer, NULL));
    km_string_free(answer);
    gate_wait(&embedder.asked, 1);
    CHECK(gate_count(&progress.asked) > 0);
    OK(km_engine_close(host.engine, NULL));
    CHECK(gate_count(&log.asked) == 2);
    host_free(&host);
    CHECK(gate_count(&log.asked) == 3);
}

static void model_answers_wrongly_first(void *data, const char *request, km_reply *reply)
{
    static const float number[1] = {1.0F};
    struct witness *witness = (struct witness *)data;
    km_error *error = NULL;
    char *long_text;
    CHECK(strstr(request, "\"task\":\"extract\"") != NULL);
    STATUS(KM_NULL, km_reply_text(reply, NULL, 0, &error));
    OK(km_error_free(error));
    STATUS(KM_NULL, km_reply_failure(reply, NULL, 0, 0, NULL));
    STATUS(KM_NOT_UTF8, km_reply_text(reply, "tea\xff", 4, NULL));
    STATUS(KM_NOT_UTF8, km_reply_failure(reply, "tea\xff", 4, 0, NULL));
    STATUS(KM_TOO_LONG, km_reply_text(reply, "tea", SIZE_MAX, NULL));
    STATUS(KM_TOO_LONG, km_reply_failure(reply, "tea", SIZE_MAX, 0, NULL));
    STATUS(KM_INVALID, km_reply_vectors(reply, number, 1, 1, &error));
    CHECK(strstr(km_error_message(error), "km_reply_text") != NULL);
    OK(km_error_free(error));
    long_text = (char *)malloc((size_t)KM_MAX_BYTES + 1);
    CHECK(long_text != NULL);
    STATUS(KM_TOO_LONG, km_reply_text(reply, long_text, (size_t)KM_MAX_BYTES + 1, NULL));
    free(long_text);
    /* None of it completed the reply. */
    OK(km_reply_text(reply, TEXT(LEARNED), NULL));
    gate_raise(&witness->asked);
}

static void a_model_that_answers_wrongly_first(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_answers_wrongly_first, &witness);
    CHECK(learns_tea(&host));
    gate_wait(&witness.asked, 1);
    host_free(&host);
}

static void model_answers_twice(void *data, const char *request, km_reply *reply)
{
    static const float number[1] = {1.0F};
    struct witness *witness = (struct witness *)data;
    (void)request;
    OK(km_reply_text(reply, TEXT(LEARNED), NULL));
    STATUS(KM_STALE_HANDLE, km_reply_text(reply, TEXT(NOTHING), NULL));
    STATUS(KM_STALE_HANDLE, km_reply_failure(reply, TEXT("no"), 1, NULL));
    STATUS(KM_STALE_HANDLE, km_reply_vectors(reply, number, 1, 1, NULL));
    gate_raise(&witness->asked);
}

static void a_model_that_answers_twice(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_answers_twice, &witness);
    CHECK(learns_tea(&host));
    gate_wait(&witness.asked, 1);
    host_free(&host);
}

static void model_keeps_the_reply(void *data, const char *request, km_reply *reply)
{
    struct witness *witness = (struct witness *)data;
    (void)request;
    witness->kept = reply;
    gate_raise(&witness->asked);
}

static void a_model_that_never_answers(void)
{
    struct witness witness = WITNESS;
    km_config *config = new_config("memory:");
    struct host host;
    char *closed = NULL;
    set(config, "model_timeout_ms", "20");
    set(config, "model_retries", "0");
    OK(km_config_set_model(config, model_keeps_the_reply, &witness, NULL, NULL));
    host = host_of(config);
    say(host.session, "I drink tea every day.");
    /* The chat does not fail for it. */
    OK(km_session_close(host.session, &closed, NULL));
    CHECK(strstr(closed, "\"failure\"") != NULL);
    km_string_free(closed);
    gate_wait(&witness.asked, 1);
    STATUS(KM_STALE_HANDLE, km_reply_text(witness.kept, TEXT(LEARNED), NULL));
    host_free(&host);
    STATUS(KM_STALE_HANDLE, km_reply_failure(witness.kept, TEXT("no"), 1, NULL));
}

static void *answers_from_elsewhere(void *data)
{
    struct witness *witness = (struct witness *)data;
    gate_wait(&witness->asked, 1);
    OK(km_reply_text(witness->kept, TEXT(LEARNED), NULL));
    return NULL;
}

static void a_model_that_answers_from_another_thread(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_keeps_the_reply, &witness);
    pthread_t thread = started(answers_from_elsewhere, &witness);
    CHECK(learns_tea(&host));
    joined(thread);
    host_free(&host);
}

static void model_answers_at_length(void *data, const char *request, km_reply *reply)
{
    const size_t length = (size_t)10 << 20;
    struct witness *witness = (struct witness *)data;
    char *text = (char *)malloc(length);
    (void)request;
    CHECK(text != NULL);
    memset(text, '[', length);
    OK(km_reply_text(reply, text, length, NULL));
    free(text);
    gate_raise(&witness->asked);
}

static void a_model_that_answers_with_ten_megabytes(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_answers_at_length, &witness);
    CHECK(!learns_tea(&host));
    gate_wait(&witness.asked, 1);
    host_free(&host);
}

/* A reply that can still be completed, where every other handle is wanted. */
static void *gives_the_reply_to_everybody(void *data)
{
    struct witness *witness = (struct witness *)data;
    char somewhere[1];
    size_t index;
    gate_wait(&witness->asked, 1);
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        struct arguments arguments = {NULL, NULL, 0, NULL, NULL};
        if (function->kind == REPLY) {
            continue;
        }
        arguments.handle = witness->kept;
        arguments.text = function->good != NULL ? function->good : "none";
        arguments.length = strlen(arguments.text);
        arguments.out = function->has & HAS_OUT ? (void **)(void *)somewhere : NULL;
        check_status(function->name, 0, "a reply", called(function, arguments), KM_WRONG_HANDLE);
    }
    OK(km_reply_text(witness->kept, TEXT(LEARNED), NULL));
    return NULL;
}

static void a_reply_in_place_of_another_handle(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_keeps_the_reply, &witness);
    pthread_t thread = started(gives_the_reply_to_everybody, &witness);
    CHECK(learns_tea(&host));
    joined(thread);
    host_free(&host);
}

static void model_answers_with_a_nul(void *data, const char *request, km_reply *reply)
{
    static const char learned[] = LEARNED "\0" LEARNED, away[] = "the model\0is away";
    struct witness *witness = (struct witness *)data;
    const int round = gate_count(&witness->asked);
    (void)request;
    gate_raise(&witness->asked);
    if (round == 0) {
        OK(km_reply_text(reply, learned, sizeof learned - 1, NULL));
    } else {
        OK(km_reply_failure(reply, away, sizeof away - 1, 0, NULL));
    }
}

static void a_model_that_answers_with_a_nul(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_answers_with_a_nul, &witness);
    char *closed = NULL;
    /* It does not end the answer, which is none then. */
    CHECK(!learns_tea(&host));
    say(host.session, "I also drink coffee.");
    OK(km_session_close(host.session, &closed, NULL));
    CHECK(strstr(closed, "is away") != NULL);
    km_string_free(closed);
    CHECK(gate_count(&witness.asked) > 1);
    host_free(&host);
}

/* More than run at once. */
#define CHATS 80
#define AT_ONCE 64

struct crowd {
    struct gate asked;
    struct gate may_answer;
};

static void model_waits(void *data, const char *request, km_reply *reply)
{
    struct crowd *crowd = (struct crowd *)data;
    (void)request;
    gate_raise(&crowd->asked);
    gate_wait(&crowd->may_answer, 1);
    OK(km_reply_text(reply, TEXT(LEARNED), NULL));
}

static void *closes_a_chat(void *data)
{
    char *closed = NULL;
    OK(km_session_close((km_session *)data, &closed, NULL));
    CHECK(strstr(closed, "User drinks tea") != NULL);
    km_string_free(closed);
    return NULL;
}

static void more_questions_than_are_asked_at_once(void)
{
    struct crowd crowd = {GATE, GATE};
    km_config *config = new_config("memory:");
    struct host host;
    km_session *sessions[CHATS];
    pthread_t threads[CHATS];
    int index;
    set(config, "model_timeout_ms", "600000");
    OK(km_config_set_model(config, model_waits, &crowd, NULL, NULL));
    host = host_of(config);
    for (index = 0; index < CHATS; index++) {
        char name[16];
        km_user *user = NULL;
        snprintf(name, sizeof name, "user %d", index);
        OK(km_engine_user(host.engine, TEXT(name), NULL, 0, &user, NULL));
        OK(km_session_open(user, &sessions[index], NULL));
        OK(km_user_free(user));
        say(sessions[index], "I drink tea every day.");
        threads[index] = started(closes_a_chat, sessions[index]);
    }
    gate_wait(&crowd.asked, AT_ONCE);
    /* Who needs no answer is not held up by those who wait for one. */
    say(host.session, "Hello.");
    gate_raise(&crowd.may_answer);
    for (index = 0; index < CHATS; index++) {
        joined(threads[index]);
        OK(km_session_free(sessions[index]));
    }
    CHECK(gate_count(&crowd.asked) == CHATS);
    host_free(&host);
}

static void time_outs_without_end(void)
{
    static const char *const keys[] = {"model_timeout_ms", "embedder_timeout_ms", "busy_timeout_ms", "retry_pause_ms"};
    const char *longest = "18446744073709551615";
    struct witness witness = WITNESS;
    km_config *config = new_config("patient.db");
    struct host host;
    size_t index;
    for (index = 0; index < sizeof keys / sizeof keys[0]; index++) {
        set(config, keys[index], longest);
    }
    OK(km_config_set_model(config, model_answers_wrongly_first, &witness, NULL, NULL));
    OK(km_config_set_embedder(config, TEXT("e-1"), 3, embedder_reenters, &witness, NULL, NULL));
    host = host_of(config);
    witness.host = &host;
    CHECK(learns_tea(&host));
    /* The model, and the embedder for what was learned. */
    gate_wait(&witness.asked, 2);
    host_free(&host);
}

static void model_says_no_word(void *data, const char *request, km_reply *reply)
{
    struct witness *witness = (struct witness *)data;
    (void)request;
    /* No byte may be read where there is none. */
    OK(km_reply_text(reply, (const char *)(uintptr_t)1, 0, NULL));
    gate_raise(&witness->asked);
}

static void a_model_that_says_no_word(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_says_no_word, &witness);
    CHECK(!learns_tea(&host));
    gate_wait(&witness.asked, 1);
    host_free(&host);
}

enum { RIVALS = 8 };

struct rivalry {
    struct witness *witness;
    struct gate won;
};

static void *answers_too(void *data)
{
    struct rivalry *rivalry = (struct rivalry *)data;
    km_status status;
    gate_wait(&rivalry->witness->asked, 1);
    status = km_reply_text(rivalry->witness->kept, TEXT(LEARNED), NULL);
    if (status == KM_OK) {
        gate_raise(&rivalry->won);
    } else {
        STATUS(KM_STALE_HANDLE, status);
    }
    return NULL;
}

static void a_model_whose_threads_all_answer(void)
{
    struct witness witness = WITNESS;
    struct rivalry rivalry = {&witness, GATE};
    struct host host = host_asking(model_keeps_the_reply, &witness);
    pthread_t threads[RIVALS];
    int index;
    for (index = 0; index < RIVALS; index++) {
        threads[index] = started(answers_too, &rivalry);
    }
    CHECK(learns_tea(&host));
    for (index = 0; index < RIVALS; index++) {
        joined(threads[index]);
    }
    CHECK(gate_count(&rivalry.won) == 1);
    host_free(&host);
}

static void model_fails(void *data, const char *request, km_reply *reply)
{
    struct witness *witness = (struct witness *)data;
    const int round = gate_count(&witness->asked);
    (void)request;
    gate_raise(&witness->asked);
    OK(km_reply_failure(reply, TEXT("the model is away"), round % 2, NULL));
}

static void a_model_that_fails(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_fails, &witness);
    char *closed = NULL;
    say(host.session, "I drink tea every day.");
    OK(km_session_close(host.session, &closed, NULL));
    CHECK(strstr(closed, "the model is away") != NULL);
    km_string_free(closed);
    host_free(&host);
}

static void embedder_lies(void *data, const char *request, km_reply *reply)
{
    static float vectors[64];
    struct witness *witness = (struct witness *)data;
    const int round = gate_count(&witness->asked);
    (void)request;
    gate_raise(&witness->asked);
    vectors[1] = (float)strtod("nan", NULL);
    switch (round % 5) {
    case 0:
        OK(km_reply_vectors(reply, vectors, 64, 1, NULL));
        break;
    case 1:
        OK(km_reply_vectors(reply, vectors, 0, 3, NULL));
        break;
    case 2:
        OK(km_reply_vectors(reply, vectors, 1, 3, NULL));
        break;
    case 3:
        /* No number may be read where there is none. */
        OK(km_reply_vectors(reply, (const float *)(uintptr_t)1, 0, SIZE_MAX, NULL));
        break;
    default:
        OK(km_reply_failure(reply, TEXT(""), 0, NULL));
    }
}

static void line_counts_warnings(void *data, uint32_t level, const char *message)
{
    if (level == KM_LOG_WARNING && strstr(message, "the embedder answered") != NULL) {
        gate_raise((struct gate *)data);
    }
}

static void an_embedder_that_lies(void)
{
    static const char *const names[] = {"two\nlines", " ", "\xe2\x80\x8b", NULL};
    struct witness witness = WITNESS;
    struct gate warned = GATE;
    km_config *config = new_config("memory:");
    km_engine *engine = NULL;
    struct host host;
    char request[128], long_name[130], *answer = NULL;
    int round;
    /* What could not be kept with a vector, and so wide that no vector could be held: nobody may try to. */
    memset(long_name, 'e', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    for (round = 0; round < 5; round++) {
        const char *name = round == 3 ? long_name : round == 4 ? "wide" : names[round];
        const size_t dimensions = round == 4 ? SIZE_MAX : 3;
        OK(km_config_set_embedder(config, TEXT(name), dimensions, embedder_lies, &witness, NULL, NULL));
        STATUS(KM_INVALID, km_engine_open(config, &engine, NULL));
    }
    OK(km_config_set_embedder(config, TEXT("e-1"), 3, embedder_lies, &witness, NULL, NULL));
    OK(km_config_set_log(config, line_counts_warnings, &warned, NULL, NULL));
    host = host_of(config);
    for (round = 0; round < 10; round++) {
        snprintf(request, sizeof request, "{\"command\":\"save\",\"content\":\"Owns boat %c\"}", 'A' + round);
        OK(km_user_request(host.user, TEXT(request), &answer, NULL));
        km_string_free(answer);
        OK(km_user_request(host.user, TEXT("{\"query\":\"recall\",\"text\":\"boat\"}"), &answer, NULL));
        CHECK(strstr(answer, "Owns boat A") != NULL);
        km_string_free(answer);
    }
    CHECK(gate_count(&witness.asked) >= 5);
    CHECK(gate_count(&warned) >= 4);
    host_free(&host);
}

static void *frees_the_handles(void *data)
{
    struct host *host = ((struct witness *)data)->host;
    OK(km_session_free(host->session));
    OK(km_user_free(host->user));
    OK(km_engine_free(host->engine));
    return NULL;
}

static void model_has_all_freed(void *data, const char *request, km_reply *reply)
{
    struct witness *witness = (struct witness *)data;
    km_status status;
    (void)request;
    STATUS(KM_REENTRANT, km_session_free(witness->host->session));
    STATUS(KM_REENTRANT, km_user_free(witness->host->user));
    STATUS(KM_REENTRANT, km_engine_free(witness->host->engine));
    /* What it may not do itself it has another thread do, and waits for it. */
    joined(started(frees_the_handles, witness));
    /* Who waits may not have heard of it yet. */
    status = km_reply_text(reply, TEXT(LEARNED), NULL);
    CHECK(status == KM_OK || status == KM_STALE_HANDLE);
    STATUS(KM_STALE_HANDLE, km_reply_text(reply, TEXT(LEARNED), NULL));
    gate_raise(&witness->asked);
}

static void a_model_that_has_all_freed(void)
{
    struct witness witness = WITNESS;
    struct host host = host_asking(model_has_all_freed, &witness);
    char *closed = NULL;
    km_status status;
    witness.host = &host;
    say(host.session, "I drink tea every day.");
    status = km_session_close(host.session, &closed, NULL);
    CHECK(status == KM_OK || status == KM_CLOSED);
    if (status == KM_OK) {
        km_string_free(closed);
    }
    gate_wait(&witness.asked, 1);
    STATUS(KM_STALE_HANDLE, km_session_view(host.session, 0, &closed, NULL));
    STATUS(KM_STALE_HANDLE, km_session_free(host.session));
    STATUS(KM_STALE_HANDLE, km_user_free(host.user));
    STATUS(KM_STALE_HANDLE, km_engine_free(host.engine));
    OK(km_config_free(host.config));
}

const struct test callback_tests[] = {
    {"a_model_that_calls_back", a_model_that_calls_back},
    {"every_other_callback_that_calls_back", every_other_callback_that_calls_back},
    {"a_model_that_answers_wrongly_first", a_model_that_answers_wrongly_first},
    {"a_model_that_answers_twice", a_model_that_answers_twice},
    {"a_model_that_never_answers", a_model_that_never_answers},
    {"a_model_that_answers_from_another_thread", a_model_that_answers_from_another_thread},
    {"a_model_that_answers_with_ten_megabytes", a_model_that_answers_with_ten_megabytes},
    {"a_reply_in_place_of_another_handle", a_reply_in_place_of_another_handle},
    {"a_model_that_answers_with_a_nul", a_model_that_answers_with_a_nul},
    {"more_questions_than_are_asked_at_once", more_questions_than_are_asked_at_once},
    {"time_outs_without_end", time_outs_without_end},
    {"a_model_that_says_no_word", a_model_that_says_no_word},
    {"a_model_whose_threads_all_answer", a_model_whose_threads_all_answer},
    {"a_model_that_fails", a_model_that_fails},
    {"an_embedder_that_lies", an_embedder_that_lies},
    {"a_model_that_has_all_freed", a_model_that_has_all_freed},
    {NULL, NULL},
};
