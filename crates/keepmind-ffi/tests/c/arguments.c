/* Pointers and texts that are not what they should be. */
#include "check.h"

static const char *const BROKEN[] = {"\xff", "tea\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"};

struct stage {
    struct host host;
    km_error *error;
    char *id;
};

static struct stage stage_new(void)
{
    struct stage stage;
    stage.host = host_on("memory:");
    stage.error = NULL;
    STATUS(KM_INVALID, km_config_set(stage.host.config, TEXT("no such key"), TEXT(""), &stage.error));
    OK(km_session_id(stage.host.session, &stage.id, NULL));
    return stage;
}

static void stage_free(struct stage *stage)
{
    km_string_free(stage->id);
    OK(km_error_free(stage->error));
    host_free(&stage->host);
}

/* Arguments that make the function succeed. */
static struct arguments good(const struct stage *stage, const struct function *function)
{
    static char somewhere[1];
    struct arguments arguments = {NULL, NULL, 0, NULL, NULL};
    arguments.handle = handle_of(&stage->host, function->kind, stage->error, NULL);
    if (function->has & (HAS_TEXT | MAY_TEXT)) {
        arguments.text = function->good != NULL ? function->good : stage->id;
        arguments.length = strlen(arguments.text);
    }
    if (function->has & HAS_OUT) {
        arguments.out = (void **)(void *)somewhere;
    }
    return arguments;
}

/* Replies are only there inside of callbacks: callbacks.c has theirs. */
static int is_tried(const struct function *function)
{
    return function->kind != REPLY && !(function->has & FREES) && strcmp(function->name, "km_engine_close") != 0;
}

static void good_arguments_do(void)
{
    struct stage stage = stage_new();
    size_t index;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        const km_status wanted = function->kind == ERROR ? KM_INVALID : KM_OK;
        if (is_tried(function)) {
            check_status(function->name, 0, "good arguments", called(function, good(&stage, function)), wanted);
        }
    }
    stage_free(&stage);
}

static void null_in_each_pointer(void)
{
    struct stage stage = stage_new();
    km_config *config = stage.host.config;
    size_t index;
    int finalized = 0;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        struct arguments arguments = good(&stage, function);
        arguments.handle = NULL;
        check_status(function->name, 0, "NULL as handle", called(function, arguments),
                     function->has & FREES ? KM_OK : KM_NULL);
        if (!is_tried(function)) {
            continue;
        }
        arguments = good(&stage, function);
        arguments.text = NULL;
        if (function->has & HAS_TEXT) {
            check_status(function->name, 0, "NULL as text", called(function, arguments), KM_NULL);
        }
        if (function->has & MAY_TEXT) {
            check_status(function->name, 0, "NULL as option", called(function, arguments), KM_OK);
        }
        arguments = good(&stage, function);
        arguments.out = NULL;
        if (function->has & HAS_OUT) {
            check_status(function->name, 0, "NULL as out", called(function, arguments), KM_NULL);
        }
    }
    STATUS(KM_NULL, km_config_new(NULL, NULL));
    STATUS(KM_NULL, km_config_set_model(config, NULL, &finalized, count_up, NULL));
    STATUS(KM_NULL, km_config_set_embedder(config, TEXT("e"), 3, NULL, &finalized, count_up, NULL));
    STATUS(KM_NULL, km_config_set_log(config, NULL, &finalized, count_up, NULL));
    CHECK(finalized == 3);
    km_string_free(NULL);
    STATUS(KM_NULL, km_error_status(NULL));
    CHECK(km_error_message(NULL) != NULL && km_error_code(NULL) == NULL && km_error_is_retryable(NULL) == 0);
    stage_free(&stage);
}

static void lengths_of_nothing_and_of_everything(void)
{
    struct stage stage = stage_new();
    size_t index;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        struct arguments arguments = good(&stage, function);
        if (!is_tried(function) || !(function->has & (HAS_TEXT | MAY_TEXT))) {
            continue;
        }
        arguments.length = SIZE_MAX;
        check_status(function->name, 0, "SIZE_MAX bytes", called(function, arguments), KM_TOO_LONG);
        arguments.length = (size_t)KM_MAX_BYTES + 1;
        check_status(function->name, 0, "a byte too many", called(function, arguments), KM_TOO_LONG);
        arguments.length = 0;
        check_status(function->name, 0, "no bytes", called(function, arguments), function->empty);
        /* No byte may be read where there is none. */
        arguments.text = (const char *)(uintptr_t)1;
        check_status(function->name, 0, "no bytes anywhere", called(function, arguments), function->empty);
    }
    stage_free(&stage);
}

static void bytes_that_are_no_text(void)
{
    struct stage stage = stage_new();
    size_t index, broken;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        for (broken = 0; broken < sizeof BROKEN / sizeof BROKEN[0]; broken++) {
            struct arguments arguments = good(&stage, function);
            if (!is_tried(function) || !(function->has & (HAS_TEXT | MAY_TEXT))) {
                continue;
            }
            arguments.text = BROKEN[broken];
            arguments.length = strlen(BROKEN[broken]);
            check_status(function->name, (int)broken, "not UTF-8", called(function, arguments), KM_NOT_UTF8);
        }
    }
    stage_free(&stage);
}

static void a_nul_within_a_text(void)
{
    static const char tea[] = "I drink tea\0 every day";
    struct stage stage = stage_new();
    km_session *session = stage.host.session;
    char *answer = NULL;
    size_t index;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        struct arguments arguments = good(&stage, function);
        if (is_tried(function) && function->has & (HAS_TEXT | MAY_TEXT)) {
            /* An embedder's name is looked at when an engine is opened. */
            const int takes_anything = strstr(function->name, "content") || strstr(function->name, "tool") ||
                                       strstr(function->name, "embedder");
            arguments.text = tea;
            arguments.length = sizeof tea - 1;
            check_status(function->name, 0, "a NUL", called(function, arguments), takes_anything ? KM_OK : KM_INVALID);
        }
    }
    OK(km_session_request(session, TEXT("{\"request\":\"messages\"}"), &answer, NULL));
    /* It ends no text: what came after it is there. */
    CHECK(strstr(answer, "I drink tea  every day") != NULL);
    km_string_free(answer);
    stage_free(&stage);
}

static void numbers_of_nothing(void)
{
    static const uint32_t wrong[] = {0, 5, 1000, UINT32_MAX};
    struct stage stage = stage_new();
    char *answer = NULL;
    size_t index;
    for (index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        STATUS(KM_INVALID, km_session_push(stage.host.session, wrong[index], TEXT("tea"), NULL, 0, &answer, NULL));
        STATUS(KM_INVALID, km_session_tools(stage.host.session, wrong[index], &answer, NULL));
    }
    CHECK(answer == NULL);
    OK(km_session_view(stage.host.session, UINT32_MAX, &answer, NULL));
    km_string_free(answer);
    OK(km_session_view(stage.host.session, 1, &answer, NULL));
    km_string_free(answer);
    stage_free(&stage);
}

static void settings_that_are_none(void)
{
    static const char *const wrong[][2] = {
        {"store", ""},           {"preset", "none"},        {"policy", "{"},        {"policy", "[]"},
        {"durability", "FULL"},  {"check", ""},             {"readers", "-1"},      {"readers", "4294967296"},
        {"cache_bytes", "1e9"},  {"model_timeout_ms", " 1"}, {"model_retries", "x"}, {"Store", "memory:"},
    };
    km_config *config = new_config("memory:");
    km_engine *engine = NULL;
    size_t index;
    for (index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        check_status(wrong[index][0], (int)index, wrong[index][1],
                     km_config_set(config, TEXT(wrong[index][0]), TEXT(wrong[index][1]), NULL), KM_INVALID);
    }
    /* What was set before still holds. */
    OK(km_engine_open(config, &engine, NULL));
    OK(km_engine_free(engine));
    OK(km_config_free(config));
    /* The longest times and sizes are taken as they are. */
    config = new_config("extreme.db");
    set(config, "model_timeout_ms", "18446744073709551615");
    set(config, "embedder_timeout_ms", "18446744073709551615");
    set(config, "retry_pause_ms", "18446744073709551615");
    set(config, "busy_timeout_ms", "18446744073709551615");
    set(config, "cache_bytes", "0");
    set(config, "readers", "0");
    OK(km_engine_open(config, &engine, NULL));
    OK(km_engine_free(engine));
    OK(km_config_free(config));
}

static void the_longest_text(void)
{
    struct stage stage = stage_new();
    char *text = (char *)malloc(KM_MAX_BYTES), *answer = NULL;
    CHECK(text != NULL);
    memset(text, 'a', KM_MAX_BYTES);
    STATUS(KM_INVALID, km_user_request(stage.host.user, text, KM_MAX_BYTES, &answer, NULL));
    STATUS(KM_INVALID, km_session_push(stage.host.session, KM_ROLE_USER, text, KM_MAX_BYTES, NULL, 0, &answer, NULL));
    OK(km_session_call_tool(stage.host.session, text, KM_MAX_BYTES, &answer, NULL));
    km_string_free(answer);
    free(text);
    stage_free(&stage);
}

struct copying {
    int told, stop_at;
};

static int32_t hear_copy(void *data, const char *progress)
{
    struct copying *copying = (struct copying *)data;
    char *report = NULL;
    CHECK(strstr(progress, "\"outcome\":") != NULL && strstr(progress, "\"total\":1") != NULL);
    STATUS(KM_REENTRANT, km_copy(TEXT("copied.db"), TEXT("other.db"), 0, NULL, NULL, &report, NULL));
    CHECK(report == NULL);
    return ++copying->told == copying->stop_at;
}

static void copies(void)
{
    struct host host = host_on("copied.db");
    struct copying copying = {0, 0};
    char *report = NULL;
    km_error *error = NULL;
    say(host.session, "I drink tea.");
    host_free(&host);
    STATUS(KM_NULL, km_copy(NULL, 1, TEXT("copy.db"), 0, NULL, NULL, &report, NULL));
    STATUS(KM_NULL, km_copy(TEXT("copied.db"), NULL, 1, 0, NULL, NULL, &report, NULL));
    STATUS(KM_NULL, km_copy(TEXT("copied.db"), TEXT("copy.db"), 0, NULL, NULL, NULL, NULL));
    STATUS(KM_TOO_LONG, km_copy("copied.db", SIZE_MAX, TEXT("copy.db"), 0, NULL, NULL, &report, NULL));
    STATUS(KM_NOT_UTF8, km_copy(TEXT("\xff"), TEXT("copy.db"), 0, NULL, NULL, &report, NULL));
    STATUS(KM_TOO_LONG, km_copy(TEXT("copied.db"), "copy.db", SIZE_MAX, 0, NULL, NULL, &report, NULL));
    STATUS(KM_NOT_UTF8, km_copy(TEXT("copied.db"), TEXT("\xff"), 0, NULL, NULL, &report, NULL));
    CHECK(km_copy("copied.db\0", 10, TEXT("copy.db"), 0, NULL, NULL, &report, NULL) != KM_OK);
    CHECK(km_copy(TEXT("copied.db"), "co\0py.db", 8, 0, NULL, NULL, &report, NULL) != KM_OK);
    STATUS(KM_INVALID, km_copy(TEXT(""), TEXT("copy.db"), 0, NULL, NULL, &report, NULL));
    STATUS(KM_INVALID, km_copy(TEXT("copied.db"), TEXT(""), 0, NULL, NULL, &report, NULL));
    STATUS(KM_INVALID, km_copy(TEXT("memory:"), TEXT("copy.db"), 0, NULL, NULL, &report, NULL));
    STATUS(KM_NOT_FOUND, km_copy(TEXT("nothing.db"), TEXT("copy.db"), 0, NULL, NULL, &report, NULL));
    CHECK(report == NULL);
    OK(km_copy(TEXT("copied.db"), TEXT("copy.db"), 0, hear_copy, &copying, &report, NULL));
    CHECK(copying.told == 1 && strstr(report, "\"copied\":1") != NULL);
    km_string_free(report);
    copying.stop_at = 2;
    OK(km_copy(TEXT("copied.db"), TEXT("copy.db"), 0, hear_copy, &copying, &report, NULL));
    CHECK(strstr(report, "\"unchanged\":1") != NULL && strstr(report, "\"stopped\":true") != NULL);
    km_string_free(report);
    /* Whether or not PostgreSQL is built in, a password stays where it is. */
    CHECK(km_copy(TEXT("copied.db"), TEXT("postgres://a:s3cret@127.0.0.1:1/b"), 0, NULL, NULL, &report, &error) != KM_OK);
    CHECK(strstr(km_error_message(error), "s3cret") == NULL);
    OK(km_error_free(error));
}

const struct test argument_tests[] = {
    {"good_arguments_do", good_arguments_do},
    {"null_in_each_pointer", null_in_each_pointer},
    {"lengths_of_nothing_and_of_everything", lengths_of_nothing_and_of_everything},
    {"bytes_that_are_no_text", bytes_that_are_no_text},
    {"a_nul_within_a_text", a_nul_within_a_text},
    {"numbers_of_nothing", numbers_of_nothing},
    {"settings_that_are_none", settings_that_are_none},
    {"the_longest_text", the_longest_text},
    {"copies", copies},
    {NULL, NULL},
};
