/* The table of all functions that can fail, one row for each text that they take. */
#include "check.h"

#define CALL(name, ...)                                       \
    static km_status call_##name(const struct arguments *a)   \
    {                                                         \
        return __VA_ARGS__;                                   \
    }

static void ignored_model(void *data, const char *request, km_reply *reply)
{
    (void)data, (void)request;
    km_reply_failure(reply, TEXT("nothing to say"), 0, NULL);
}

static void ignored_line(void *data, uint32_t level, const char *message)
{
    (void)data, (void)level, (void)message;
}

static const float one_number[1] = {1.0F};

CALL(error_free, km_error_free((km_error *)a->handle))
CALL(error_status, km_error_status((km_error *)a->handle))

CALL(reply_text, km_reply_text((km_reply *)a->handle, a->text, a->length, a->error))
CALL(reply_failure, km_reply_failure((km_reply *)a->handle, a->text, a->length, 1, a->error))
CALL(reply_vectors, km_reply_vectors((km_reply *)a->handle, one_number, 1, 1, a->error))

CALL(config_key, km_config_set((km_config *)a->handle, a->text, a->length, TEXT("memory:"), a->error))
CALL(config_value, km_config_set((km_config *)a->handle, TEXT("store"), a->text, a->length, a->error))
CALL(config_model, km_config_set_model((km_config *)a->handle, ignored_model, NULL, NULL, a->error))
CALL(config_embedder, km_config_set_embedder((km_config *)a->handle, a->text, a->length, 3, ignored_model, NULL,
                                             NULL, a->error))
CALL(config_log, km_config_set_log((km_config *)a->handle, ignored_line, NULL, NULL, a->error))
CALL(config_free, km_config_free((km_config *)a->handle))

CALL(engine_open, km_engine_open((km_config *)a->handle, (km_engine **)a->out, a->error))
CALL(engine_request, km_engine_request((km_engine *)a->handle, a->text, a->length, (char **)a->out, a->error))
CALL(engine_sweep, km_engine_sweep((km_engine *)a->handle, NULL, NULL, (char **)a->out, a->error))
CALL(engine_user, km_engine_user((km_engine *)a->handle, a->text, a->length, NULL, 0, (km_user **)a->out,
                                 a->error))
CALL(engine_user_options, km_engine_user((km_engine *)a->handle, TEXT("bob"), a->text, a->length,
                                         (km_user **)a->out, a->error))
CALL(engine_close, km_engine_close((km_engine *)a->handle, a->error))
CALL(engine_free, km_engine_free((km_engine *)a->handle))

CALL(user_request, km_user_request((km_user *)a->handle, a->text, a->length, (char **)a->out, a->error))
CALL(user_free, km_user_free((km_user *)a->handle))

CALL(session_open, km_session_open((km_user *)a->handle, (km_session **)a->out, a->error))
CALL(session_resume, km_session_resume((km_user *)a->handle, a->text, a->length, (km_session **)a->out, a->error))
CALL(session_id, km_session_id((km_session *)a->handle, (char **)a->out, a->error))
CALL(session_push, km_session_push((km_session *)a->handle, KM_ROLE_USER, a->text, a->length, NULL, 0,
                                   (char **)a->out, a->error))
CALL(session_push_options, km_session_push((km_session *)a->handle, KM_ROLE_USER, TEXT("tea"), a->text, a->length,
                                           (char **)a->out, a->error))
CALL(session_block, km_session_block((km_session *)a->handle, (char **)a->out, a->error))
CALL(session_view, km_session_view((km_session *)a->handle, 0, (char **)a->out, a->error))
CALL(session_tools, km_session_tools((km_session *)a->handle, KM_TOOLS_MCP, (char **)a->out, a->error))
CALL(session_call_tool, km_session_call_tool((km_session *)a->handle, a->text, a->length, (char **)a->out,
                                             a->error))
CALL(session_close, km_session_close((km_session *)a->handle, (char **)a->out, a->error))
CALL(session_request, km_session_request((km_session *)a->handle, a->text, a->length, (char **)a->out, a->error))
CALL(session_cancel, km_session_cancel((km_session *)a->handle, a->error))
CALL(session_free, km_session_free((km_session *)a->handle))

const struct function functions[] = {
    {"km_error_status", ERROR, ANYWHERE | NO_ERROR | STAYS, call_error_status, NULL, KM_OK},
    {"km_reply_text", REPLY, HAS_TEXT | ANYWHERE, call_reply_text, "{}", KM_OK},
    {"km_reply_failure", REPLY, HAS_TEXT | ANYWHERE, call_reply_failure, "no", KM_OK},
    {"km_reply_vectors", REPLY, ANYWHERE, call_reply_vectors, NULL, KM_OK},
    {"km_config_set: key", CONFIG, HAS_TEXT | STAYS, call_config_key, "store", KM_INVALID},
    {"km_config_set: value", CONFIG, HAS_TEXT | STAYS, call_config_value, "memory:", KM_INVALID},
    {"km_config_set_model", CONFIG, STAYS, call_config_model, NULL, KM_OK},
    {"km_config_set_embedder: id", CONFIG, HAS_TEXT | STAYS, call_config_embedder, "e-1", KM_INVALID},
    {"km_config_set_log", CONFIG, STAYS, call_config_log, NULL, KM_OK},
    {"km_engine_open", CONFIG, HAS_OUT | STAYS, call_engine_open, NULL, KM_OK},
    {"km_engine_request", ENGINE, HAS_TEXT | HAS_OUT, call_engine_request, "{\"request\":\"policy\"}", KM_INVALID},
    {"km_engine_sweep", ENGINE, HAS_OUT, call_engine_sweep, NULL, KM_OK},
    {"km_engine_user: name", ENGINE, HAS_TEXT | HAS_OUT, call_engine_user, "carol", KM_INVALID},
    {"km_engine_user: options", ENGINE, MAY_TEXT | HAS_OUT, call_engine_user_options, "{\"offset_minutes\":60}",
     KM_INVALID},
    {"km_user_request", USER, HAS_TEXT | HAS_OUT, call_user_request, "{\"query\":\"list\"}", KM_INVALID},
    {"km_session_open", USER, HAS_OUT, call_session_open, NULL, KM_OK},
    {"km_session_resume: id", USER, HAS_TEXT | HAS_OUT, call_session_resume, NULL, KM_INVALID},
    {"km_session_id", SESSION, HAS_OUT, call_session_id, NULL, KM_OK},
    {"km_session_push: content", SESSION, HAS_TEXT | HAS_OUT, call_session_push, "I drink tea.", KM_OK},
    {"km_session_push: options", SESSION, MAY_TEXT | HAS_OUT, call_session_push_options, "{\"origin\":\"prefill\"}",
     KM_INVALID},
    {"km_session_block", SESSION, HAS_OUT, call_session_block, NULL, KM_OK},
    {"km_session_view", SESSION, HAS_OUT, call_session_view, NULL, KM_OK},
    {"km_session_tools", SESSION, HAS_OUT, call_session_tools, NULL, KM_OK},
    {"km_session_call_tool", SESSION, HAS_TEXT | HAS_OUT, call_session_call_tool, "nonsense", KM_OK},
    {"km_session_close", SESSION, HAS_OUT, call_session_close, NULL, KM_OK},
    {"km_session_request", SESSION, HAS_TEXT | HAS_OUT, call_session_request, "{\"request\":\"record\"}", KM_INVALID},
    {"km_session_cancel", SESSION, 0, call_session_cancel, NULL, KM_OK},
    /* From here on what stood behind the handle is gone afterwards. */
    {"km_engine_close", ENGINE, STAYS, call_engine_close, NULL, KM_OK},
    {"km_session_free", SESSION, FREES | NO_ERROR | STAYS, call_session_free, NULL, KM_OK},
    {"km_user_free", USER, FREES | NO_ERROR | STAYS, call_user_free, NULL, KM_OK},
    {"km_engine_free", ENGINE, FREES | NO_ERROR | STAYS, call_engine_free, NULL, KM_OK},
    {"km_config_free", CONFIG, FREES | NO_ERROR | STAYS, call_config_free, NULL, KM_OK},
    {"km_error_free", ERROR, FREES | ANYWHERE | NO_ERROR | STAYS, call_error_free, NULL, KM_OK},
};
const size_t function_count = sizeof functions / sizeof functions[0];

void *handle_of(const struct host *host, enum kind kind, km_error *error, km_reply *reply)
{
    switch (kind) {
    case ERROR:
        return error;
    case REPLY:
        return reply;
    case CONFIG:
        return host->config;
    case ENGINE:
        return host->engine;
    case USER:
        return host->user;
    default:
        return host->session;
    }
}

void free_answer(const struct function *function, void *answer)
{
    if (function->call == call_engine_open) {
        OK(km_engine_free((km_engine *)answer));
    } else if (function->kind == ENGINE && strstr(function->name, "user") != NULL) {
        OK(km_user_free((km_user *)answer));
    } else if (function->call == call_session_open || function->call == call_session_resume) {
        OK(km_session_free((km_session *)answer));
    } else {
        km_string_free((char *)answer);
    }
}

km_status called(const struct function *function, struct arguments arguments)
{
    char here;
    void *answer = &here;
    km_error *const untouched = (km_error *)(void *)&here;
    km_error *error = untouched;
    km_status status;
    if (arguments.out != NULL) {
        arguments.out = &answer;
    }
    arguments.error = &error;
    status = function->call(&arguments);
    if (status == KM_OK) {
        CHECK(error == untouched);
        if (arguments.out != NULL) {
            CHECK(answer != &here && answer != NULL);
            free_answer(function, answer);
        }
        return status;
    }
    if (answer != &here) {
        failed(function->name, (int)status, "an answer was written though the call failed");
    }
    if ((function->has & NO_ERROR) == 0 && status != KM_FORKED) {
        CHECK(error != untouched && error != NULL);
        STATUS(status, km_error_status(error));
        CHECK(strlen(km_error_message(error)) > 0);
        CHECK(km_error_is_retryable(error) == 0 || km_error_is_retryable(error) == 1);
        (void)km_error_code(error);
        OK(km_error_free(error));
        STATUS(KM_STALE_HANDLE, km_error_free(error));
        /* Nobody has to want to know. */
        if (!(function->has & FREES)) {
            arguments.error = NULL;
            STATUS(status, function->call(&arguments));
        }
    } else {
        CHECK(error == untouched);
    }
    return status;
}
