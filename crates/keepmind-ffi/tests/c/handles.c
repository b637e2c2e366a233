/* Handles that are not what they should be. */
#include "check.h"

static struct arguments with(void *handle, const struct function *function)
{
    static char somewhere[1];
    struct arguments arguments = {NULL, NULL, 0, NULL, NULL};
    arguments.handle = handle;
    if (function->has & (HAS_TEXT | MAY_TEXT)) {
        arguments.text = function->good != NULL ? function->good : "none";
        arguments.length = strlen(arguments.text);
    }
    if (function->has & HAS_OUT) {
        arguments.out = (void **)(void *)somewhere;
    }
    return arguments;
}

static km_error *an_error(void)
{
    km_error *error = NULL;
    STATUS(KM_NULL, km_config_new(NULL, &error));
    return error;
}

static void handles_of_another_kind(void)
{
    struct host host = host_on("memory:");
    km_error *error = an_error();
    size_t index;
    int kind;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        for (kind = ERROR; kind <= SESSION; kind++) {
            void *handle = handle_of(&host, (enum kind)kind, error, NULL);
            if (kind != (int)function->kind && handle != NULL) {
                check_status(function->name, kind, "another kind", called(function, with(handle, function)),
                             KM_WRONG_HANDLE);
            }
        }
    }
    OK(km_error_free(error));
    host_free(&host);
}

static void pointers_that_were_never_handles(void)
{
    struct host host = host_on("memory:");
    int here = 0;
    void *allocated = malloc(64);
    size_t index, offset, at;
    uintptr_t wild[8];
    wild[0] = (uintptr_t)&here;
    wild[1] = (uintptr_t)allocated;
    wild[2] = (uintptr_t)&functions;
    wild[3] = (uintptr_t)1 << 24;
    wild[4] = UINTPTR_MAX - 15;
    wild[5] = (uintptr_t)0xdeadbeef;
    wild[6] = UINTPTR_MAX / 2;
    wild[7] = (uintptr_t)host.session + 4096;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        for (at = 0; at < sizeof wild / sizeof wild[0]; at++) {
            /* With each of the kinds that the last bits can say. */
            for (offset = 0; offset < 16; offset++) {
                void *handle = (void *)((wild[at] & ~(uintptr_t)15) + offset);
                km_status status = called(function, with(handle, function));
                if (status != KM_STALE_HANDLE && status != KM_WRONG_HANDLE) {
                    check_status(function->name, (int)offset, "a wild pointer", status, KM_STALE_HANDLE);
                }
            }
        }
    }
    free(allocated);
    host_free(&host);
}

static void freed_handles_are_stale(void)
{
    struct host host = host_on("memory:");
    km_error *error = an_error();
    size_t index;
    host_free(&host);
    OK(km_error_free(error));
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        void *handle = handle_of(&host, function->kind, error, NULL);
        if (handle != NULL) {
            check_status(function->name, 0, "freed", called(function, with(handle, function)), KM_STALE_HANDLE);
        }
    }
    CHECK(strlen(km_error_message(error)) == 0 && km_error_code(error) == NULL);
    CHECK(km_error_is_retryable(error) == 0);
}

static void a_number_is_given_out_once(void)
{
    km_config *config = NULL, *first = NULL;
    int round;
    OK(km_config_new(&first, NULL));
    OK(km_config_free(first));
    for (round = 0; round < 1000; round++) {
        OK(km_config_new(&config, NULL));
        CHECK(config != first);
        OK(km_config_free(config));
        STATUS(KM_STALE_HANDLE, km_config_free(config));
    }
}

static void everything_is_closed_after_a_close(void)
{
    struct host host = host_on("memory:");
    size_t index;
    OK(km_engine_close(host.engine, NULL));
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        if (function->kind >= ENGINE && !(function->has & STAYS)) {
            struct arguments arguments = with(handle_of(&host, function->kind, NULL, NULL), function);
            char id[] = "01a1dfd6-9777-7764-b79c-96d0680d479b";
            if (strcmp(function->name, "km_session_resume: id") == 0) {
                arguments.text = id;
                arguments.length = strlen(id);
            }
            check_status(function->name, 0, "closed", called(function, arguments), KM_CLOSED);
        }
    }
    OK(km_engine_close(host.engine, NULL));
    host_free(&host);
}

static void handles_outlive_what_they_came_from(void)
{
    struct host host = host_on("memory:");
    char *answer = NULL;
    OK(km_config_free(host.config));
    OK(km_user_free(host.user));
    /* A chat needs neither. */
    say(host.session, "I drink tea.");
    OK(km_engine_free(host.engine));
    STATUS(KM_CLOSED, km_session_view(host.session, 0, &answer, NULL));
    STATUS(KM_STALE_HANDLE, km_engine_close(host.engine, NULL));
    OK(km_session_free(host.session));
}

const struct test handle_tests[] = {
    {"handles_of_another_kind", handles_of_another_kind},
    {"pointers_that_were_never_handles", pointers_that_were_never_handles},
    {"freed_handles_are_stale", freed_handles_are_stale},
    {"a_number_is_given_out_once", a_number_is_given_out_once},
    {"everything_is_closed_after_a_close", everything_is_closed_after_a_close},
    {"handles_outlive_what_they_came_from", handles_outlive_what_they_came_from},
    {NULL, NULL},
};
