/* keepmind: long-term memory for LLM assistants. Licence: MIT OR Apache-2.0.
 *
 * Generated from crates/keepmind-ffi. To change it, change that crate and run
 *   KEEPMIND_WRITE_HEADER=1 cargo test -p keepmind-ffi --test header
 *
 * Strings in are a pointer and a length in bytes, UTF-8. Strings out are UTF-8 and end with a NUL.
 * Ownership is said in four words:
 *   borrows        the caller keeps it; it is read during the call only
 *   consumes       the library has it from then on; the caller must not use it again
 *   returns owned  the caller has it from then on, and frees it with the function that is named
 *   static         never freed
 * Every function that can fail returns a km_status. Out-parameters are written only on KM_OK, and
 * *error only on anything else; an error may be NULL where nobody wants to know. What a model does
 * wrong is a result that can be read, not a status.
 *
 * All handles may be used from all threads at once. They are not addresses: a handle that was freed, or
 * is of another kind, is answered with a status. A process that was forked from one that uses the
 * library is answered KM_FORKED, without an error, until it executes another program.
 *
 * A thread that calls has KM_STACK_BYTES of stack or more; the usual ones have. A callback and a finaliser return: an
 * exception of C++, longjmp or the end of a thread must not leave them. A thread that is inside a call must not be
 * cancelled (pthread_cancel). Destructors and functions for the end of a thread or of the program may call.
 */


#ifndef KEEPMIND_H
#define KEEPMIND_H

#include <stddef.h>
#include <stdint.h>

// The longest text that the library takes, in bytes.
#define KM_MAX_BYTES (64 << 20)

// How much stack a thread must have that calls the library, in bytes.
#define KM_STACK_BYTES (512 << 10)

// Something failed that should not.
#define KM_LOG_ERROR 1

// Something was done without.
#define KM_LOG_WARNING 2

// What happened.
#define KM_LOG_INFO 3

// The instructions of the host.
#define KM_ROLE_SYSTEM 1

// The user: the only one whose words are evidence.
#define KM_ROLE_USER 2

// The assistant.
#define KM_ROLE_ASSISTANT 3

// A tool's answer.
#define KM_ROLE_TOOL 4

// Tools as OpenAI's chat completions, and everything modelled on them, read them.
#define KM_TOOLS_OPENAI 1

// Tools as Anthropic's messages read them.
#define KM_TOOLS_ANTHROPIC 2

// Tools as a server of the Model Context Protocol lists them.
#define KM_TOOLS_MCP 3

// The number of this interface: it changes when a program must be compiled anew.
#define KM_ABI 1

// How an engine is opened. Threads: any, at once.
typedef struct km_config km_config;

// A memory for every user of the host. Threads: any, at once.
typedef struct km_engine km_engine;

// Why a call failed. Threads: any, at once.
typedef struct km_error km_error;

// Where a callback's answer goes. Complete it once, inside the callback or later. Threads: any.
typedef struct km_reply km_reply;

// One chat of one user. Threads: any, at once.
typedef struct km_session km_session;

// One user's memory. Threads: any, at once.
typedef struct km_user km_user;

// How a call ended. Numbers are never used again for something else.
typedef uint32_t km_status;

// Asks the host's model. `request` is JSON, borrowed for the call: `task`, `system`, `prompt`, `schema`
// (an object, or null) and `max_output_tokens`. Complete `reply` with km_reply_text or km_reply_failure,
// inside the call or later.
//
// Called on a thread of the library's where it may block, on several at once. Inside it only replies,
// strings and errors may be used: everything else is KM_REENTRANT.
typedef void (*km_model_callback)(void *user_data, const char *request, km_reply *reply);

// Told once that a callback's user data is not used any more. NULL where nobody needs to know. May be called on any thread,
// also on one of the host's that is inside a call. Inside it only replies, strings and errors may be used: everything
// else is KM_REENTRANT.
typedef void (*km_finalizer)(void *user_data);

// Asks the host's embedder. `request` is JSON, borrowed for the call: `{"texts": [...]}`. Complete `reply`
// with km_reply_vectors, a vector for each text in order, or with km_reply_failure, inside the call or
// later.
//
// Called on a thread of the library's where it may block, on several at once. Inside it only replies,
// strings and errors may be used: everything else is KM_REENTRANT.
typedef void (*km_embedder_callback)(void *user_data, const char *request, km_reply *reply);

// Hears one line: a KM_LOG_ level, and English without any user's words, borrowed for the call. May be
// called on any thread, and on several at once. Inside it only replies, strings and errors may be used:
// everything else is KM_REENTRANT.
typedef void (*km_log_callback)(void *user_data, uint32_t level, const char *message);

// Hears where a sweep or a copy is. `progress` is JSON, borrowed for the call. Of a sweep: `owner`, `step`, `done` and
// `owners`; of a copy: `owner`, `outcome`, `owners` and `total`. Returns 0 to go on, anything else to stop. Called on
// the thread that called km_engine_sweep or km_copy. Inside it only replies, strings and errors may be used: everything
// else is KM_REENTRANT.
typedef int32_t (*km_progress_callback)(void *user_data, const char *progress);

// It did what was asked.
#define KM_OK 0

// A pointer that is needed is NULL.
#define KM_NULL 1

// A text is not UTF-8.
#define KM_NOT_UTF8 2

// A text is longer than KM_MAX_BYTES.
#define KM_TOO_LONG 3

// The handle was freed, or never given out. A reply: it was answered already, or nobody waits any more.
#define KM_STALE_HANDLE 4

// The handle is of another kind.
#define KM_WRONG_HANDLE 5

// Called from inside a callback, where only replies, strings and errors may be used.
#define KM_REENTRANT 6

// Called in a process that was forked from one that uses the library.
#define KM_FORKED 7

// A fault in the library. It was caught, and the handle can still be used.
#define KM_PANIC 8

// km_session_cancel ended the call. What was being written may have been written.
#define KM_CANCELLED 9

// The input is wrong; nothing was changed. Mend it and call again.
#define KM_INVALID 20

// The data moved on meanwhile; nothing was changed. Call again.
#define KM_CONFLICT 21

// What the call names is not there; nothing was changed.
#define KM_NOT_FOUND 22

// A rule says no; nothing was changed. The error's code says which.
#define KM_REFUSED 23

// Another writer kept the store busy for too long; nothing was changed. Call again.
#define KM_BUSY 24

// No room is left; nothing was changed.
#define KM_FULL 25

// Whether it was written is not known.
#define KM_OUTCOME_UNKNOWN 26

// The engine was closed.
#define KM_CLOSED 27

// The file is damaged. It was left as it is.
#define KM_DAMAGED 28

// The file belongs to something else. It was left as it is.
#define KM_FOREIGN 29

// The file was written by a newer version of this library. It was left as it is.
#define KM_NEWER 30

// The environment cannot be used: a folder that cannot be written.
#define KM_UNSUPPORTED 31

// Reading or writing failed below the library.
#define KM_IO 32

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Frees a string that the library returned. NULL is fine.
//
// Consumes `text`, which must be a string that the library returned owned and that was not freed.
// Threads: any, also inside a callback and in a forked process.
void km_string_free(char *text);

// The status that the call returned with it; the status of asking where the error is NULL or was freed.
//
// Borrows `error`. Threads: any.
km_status km_error_status(const km_error *error);

// What was wrong and what to do: English, for a developer, without any user's words. Never NULL.
//
// Borrows `error`; the text lives as long as it does. Threads: any.
const char *km_error_message(const km_error *error);

// The stable name of the rule that objected, such as `E_AMBIGUOUS`; NULL where none did.
//
// Borrows `error`; the text lives as long as it does. Threads: any.
const char *km_error_code(const km_error *error);

// 1 where the same call can succeed later without a change, otherwise 0.
//
// Borrows `error`. Threads: any.
int32_t km_error_is_retryable(const km_error *error);

// Frees an error. NULL is fine; one that was freed already is KM_STALE_HANDLE.
//
// Consumes `error`. Threads: any, also inside a callback.
km_status km_error_free(km_error *error);

// Answers with a text: what the model said.
//
// KM_STALE_HANDLE where the reply was completed before or came too late. On any other failure the reply
// can still be completed.
//
// Consumes `reply` on KM_OK. Borrows `text`. Returns owned `error`. Threads: any, also inside a callback.
km_status km_reply_text(km_reply *reply,
                        const char *text,
                        size_t length,
                        km_error **error);

// Answers with vectors: `count` of them, one after the other, each of `dimensions` numbers. `values` need not
// be aligned.
//
// KM_STALE_HANDLE where the reply was completed before or came too late. On any other failure the reply
// can still be completed.
//
// Consumes `reply` on KM_OK. Borrows `values`. Returns owned `error`. Threads: any, also inside a
// callback.
km_status km_reply_vectors(km_reply *reply,
                           const float *values,
                           size_t count,
                           size_t dimensions,
                           km_error **error);

// Says that there is no answer, and whether asking again can help (`is_retryable` is not 0). `message`
// says why in English, without any user's words.
//
// KM_STALE_HANDLE where the reply was completed before or came too late.
//
// Consumes `reply` on KM_OK. Borrows `message`. Returns owned `error`. Threads: any, also inside a
// callback.
km_status km_reply_failure(km_reply *reply,
                           const char *message,
                           size_t length,
                           int32_t is_retryable,
                           km_error **error);

// Begins a configuration: everything at its default, and no store.
//
// Returns owned `config`, freed with km_config_free, and owned `error`. Threads: any.
km_status km_config_new(km_config **config, km_error **error);

// Sets one key. All values are texts:
//
// store: a file's path, `memory:`, or a URL `postgres://user:password@host/database` where the library was built
// with PostgreSQL. Needed. While a file is open nothing else in the same process may open it or the files beside it, whose
// names begin with its own, not even to read or to copy them: closing them gives up the locks of the whole process.
// Where that took the log away from under saves, the next one fails with KM_IO, and everything after it, until the
// engine is closed and another opened. Another process may; km_copy makes a copy, and the request `export` a backup.
// preset: default, advisor, chat, assistant, personal or observer.
// policy: JSON, what differs from a preset that it names. Of preset and policy the one that was set last holds.
// durability: full (default), normal or off. check: automatic (default), always or header.
// model_timeout_ms, embedder_timeout_ms, model_retries, retry_pause_ms, busy_timeout_ms: numbers.
// cache_bytes, max_bytes, readers: numbers.
//
// With PostgreSQL, `readers` says how many connections there may be, and `busy_timeout_ms` how long to wait for one
// and for other writers; durability, check and max_bytes are the server's own.
//
// Borrows `config`, `key` and `value`. Returns owned `error`. Threads: any.
km_status km_config_set(km_config *config,
                        const char *key,
                        size_t key_length,
                        const char *value,
                        size_t value_length,
                        km_error **error);

// Plugs in a model: it is asked what is worth remembering, for summaries and titles. Without one, code
// does what it can.
//
// `finalizer` is called once, when neither the configuration nor an engine opened with it can call
// `callback` any more; also where this function fails.
//
// Borrows `config`. Consumes `user_data`. Returns owned `error`. Threads: any.
km_status km_config_set_model(km_config *config,
                              km_model_callback callback,
                              void *user_data,
                              km_finalizer finalizer,
                              km_error **error);

// Plugs in an embedder: memories are then found by meaning too. `id` is a name that changes whenever its
// vectors would, one line of at most 128 characters; `dimensions` how many numbers a vector has, at most 8192.
// An empty name and no dimensions are refused at once, the rest when an engine is opened.
//
// `finalizer` is called once, as for km_config_set_model.
//
// Borrows `config` and `id`. Consumes `user_data`. Returns owned `error`. Threads: any.
km_status km_config_set_embedder(km_config *config,
                                 const char *id,
                                 size_t id_length,
                                 size_t dimensions,
                                 km_embedder_callback callback,
                                 void *user_data,
                                 km_finalizer finalizer,
                                 km_error **error);

// Has `callback` hear what the library has to say. `finalizer` is called once, as for
// km_config_set_model.
//
// Borrows `config`. Consumes `user_data`. Returns owned `error`. Threads: any.
km_status km_config_set_log(km_config *config,
                            km_log_callback callback,
                            void *user_data,
                            km_finalizer finalizer,
                            km_error **error);

// Frees a configuration. NULL is fine; one that was freed already is KM_STALE_HANDLE. Engines that were
// opened with it go on.
//
// Consumes `config`. Threads: any.
km_status km_config_free(km_config *config);

// Copies every user from one store into another, without loss: both are named as km_config_set takes `store`, a
// file's path or a PostgreSQL URL. Interrupted anywhere, it is called again: users who are there already, exactly so,
// are passed over.
//
// A user of whom the target has anything else is left as they are there, and named in the report; where `replace` is
// not 0, they are erased there and copied anew. Nobody should write to the source meanwhile.
//
// `progress` may be NULL. `report` is JSON: `owners`, `copied`, `unchanged`, `replaced`, `refused`, `stopped`.
//
// Borrows `from`, `to` and `user_data`. Returns owned `report`, freed with km_string_free, and owned `error`.
// Threads: any.
km_status km_copy(const char *from,
                  size_t from_length,
                  const char *to,
                  size_t to_length,
                  int32_t replace,
                  km_progress_callback progress,
                  void *user_data,
                  char **report,
                  km_error **error);

// Opens an engine. A file is made where it is not there, and so are the tables in a database.
//
// Borrows `config`, which may be used again. Returns owned `engine`, freed with km_engine_free, and owned
// `error`. Threads: any.
km_status km_engine_open(const km_config *config,
                         km_engine **engine,
                         km_error **error);

// Runs a request that names its user, and its chat where it is about one: docs/REQUESTS.md has them all.
//
// Borrows `engine` and `request`, which is JSON. Returns owned `answer`, JSON, freed with km_string_free,
// and owned `error`. Threads: any.
km_status km_engine_request(const km_engine *engine,
                            const char *request,
                            size_t length,
                            char **answer,
                            km_error **error);

// Does everything that is due, for every user: closes chats that nobody closed, tries again what a model
// failed at, ends what has expired, empties trash. Call it now and then; several processes may.
//
// `progress` may be NULL. `report` is JSON.
//
// Borrows `engine` and `user_data`. Returns owned `report`, freed with km_string_free, and owned `error`.
// Threads: any.
km_status km_engine_sweep(const km_engine *engine,
                          km_progress_callback progress,
                          void *user_data,
                          char **report,
                          km_error **error);

// Closes an engine: finishes what is being written and lets go of the file. Calls that wait for a model
// go on without it. From now on every call on it and on what it gave out is KM_CLOSED. Closing twice is
// fine.
//
// Borrows `engine`, which is still to be freed. Returns owned `error`. Threads: any, also while others
// use it.
km_status km_engine_close(km_engine *engine,
                          km_error **error);

// Frees an engine, and closes it where it is open. NULL is fine; one that was freed already is
// KM_STALE_HANDLE. Users and sessions of it are still to be freed. Freeing the last of them all waits a
// second at most for callbacks that have not returned.
//
// Consumes `engine`. Threads: any, also while others use it.
km_status km_engine_free(km_engine *engine);

// The memory of one user: the only door to data. `name` is the host's stable id of the user.
//
// `options` is JSON, or NULL: `offset_minutes`, how far the user's clock is ahead of UTC; `offset_before`
// with `moment` and `minutes`, how far it was before that moment.
//
// Borrows `engine`, `name` and `options`. Returns owned `user`, freed with km_user_free, and owned
// `error`. Threads: any.
km_status km_engine_user(const km_engine *engine,
                         const char *name,
                         size_t name_length,
                         const char *options,
                         size_t options_length,
                         km_user **user,
                         km_error **error);

// Runs a request of this user: any command, any query, and more: docs/REQUESTS.md has them all. It counts
// as the user's own word; what a model asks for goes through km_session_call_tool.
//
// Borrows `user` and `request`, which is JSON. Returns owned `answer`, JSON, freed with km_string_free,
// and owned `error`. Threads: any.
km_status km_user_request(const km_user *user,
                          const char *request,
                          size_t length,
                          char **answer,
                          km_error **error);

// Frees a user. NULL is fine; one that was freed already is KM_STALE_HANDLE. Sessions of it go on.
//
// Consumes `user`. Threads: any.
km_status km_user_free(km_user *user);

// Opens a chat: the block is rendered, and frozen with it.
//
// Borrows `user`. Returns owned `session`, freed with km_session_free, and owned `error`. Threads: any.
km_status km_session_open(const km_user *user,
                          km_session **session,
                          km_error **error);

// A chat that was opened before, here or in another process, by its id. A closed one is talked in again
// with the next message, which returns its new block.
//
// Borrows `user` and `id`. Returns owned `session`, freed with km_session_free, and owned `error`.
// Threads: any.
km_status km_session_resume(const km_user *user,
                            const char *id,
                            size_t length,
                            km_session **session,
                            km_error **error);

// The chat's id, to find it again with km_session_resume.
//
// Borrows `session`. Returns owned `id`, freed with km_string_free, and owned `error`. Threads: any.
km_status km_session_id(const km_session *session,
                        char **id,
                        km_error **error);

// Appends a message: every message of the chat belongs here as it is said, tools' answers too. `role` is a
// KM_ROLE_ number.
//
// `options` is JSON, or NULL: `hidden` (a part that the model sees and nobody is shown), `origin`
// (`typed` or `prefill`), `untrusted` (ranges of bytes of the content that are not the speaker's own
// words, `[{"start":0,"end":5}]`), `calls` (ids of the tool calls that the message makes or answers).
//
// `pushed` is JSON: `number`, the message's place, and `block` where the message resumed the chat: it
// goes into the system prompt from then on.
//
// Borrows `session`, `content` and `options`. Returns owned `pushed`, freed with km_string_free, and owned
// `error`. Threads: any.
km_status km_session_push(const km_session *session,
                          uint32_t role,
                          const char *content,
                          size_t content_length,
                          const char *options,
                          size_t options_length,
                          char **pushed,
                          km_error **error);

// What goes into the system prompt: the same bytes while the chat is active.
//
// Borrows `session`. Returns owned `block`, freed with km_string_free, and owned `error`. Threads: any.
km_status km_session_block(const km_session *session,
                           char **block,
                           km_error **error);

// What to send to the model, within `budget` tokens, or the policy's budget where it is 0. `view` is JSON:
// `summary` of what came before, where there is one, and `messages` word for word.
//
// Borrows `session`. Returns owned `view`, freed with km_string_free, and owned `error`. Threads: any.
km_status km_session_view(const km_session *session,
                          uint32_t budget,
                          char **view,
                          km_error **error);

// The tools to offer the model, as a JSON list in the shape of a KM_TOOLS_ number.
//
// Borrows `session`. Returns owned `tools`, freed with km_string_free, and owned `error`. Threads: any.
km_status km_session_tools(const km_session *session,
                           uint32_t shape,
                           char **tools,
                           km_error **error);

// Runs a tool call as the model's provider wrote it: OpenAI's, Anthropic's, or
// `{"name":"...","arguments":{...}}`. Whatever the model wrote, the status is KM_OK and `reply` has a `message`
// for it; only the store failing is a status.
//
// `reply` is JSON: `call` (the id to push the message with), `message`, `is_error`, and, where something
// was written, `event` with a line for the user and a token for undo.
//
// Borrows `session` and `call`. Returns owned `reply`, freed with km_string_free, and owned `error`.
// Threads: any.
km_status km_session_call_tool(const km_session *session,
                               const char *call,
                               size_t length,
                               char **reply,
                               km_error **error);

// Closes the chat: learns from what is new in it. `closed` is JSON: how it ended, what became of
// everything that was found, and a token to undo it. The handle can be used on.
//
// Borrows `session`. Returns owned `closed`, freed with km_string_free, and owned `error`. Threads: any.
km_status km_session_close(const km_session *session,
                           char **closed,
                           km_error **error);

// Runs a request of this chat: rename, archive, trash, messages and more; or any command or query of its
// user: docs/REQUESTS.md has them all.
//
// Borrows `session` and `request`, which is JSON. Returns owned `answer`, JSON, freed with
// km_string_free, and owned `error`. Threads: any.
km_status km_session_request(const km_session *session,
                             const char *request,
                             size_t length,
                             char **answer,
                             km_error **error);

// Ends the calls that run on this handle now: they return KM_CANCELLED. What was being written may have
// been. A close that was cancelled is finished by a later one, or by the sweep, when its lease has run out
// (`close.lease_seconds` of the policy); until then closing says `by_another`. Later calls are not affected.
//
// Borrows `session`. Returns owned `error`. Threads: any.
km_status km_session_cancel(const km_session *session,
                            km_error **error);

// Frees the handle of a chat. NULL is fine; one that was freed already is KM_STALE_HANDLE. The chat
// itself goes on: it can be resumed by its id.
//
// Consumes `session`. Threads: any.
km_status km_session_free(km_session *session);

// The number of the interface that the library was built with: compare it with KM_ABI.
//
// Threads: any, also inside a callback.
uint32_t km_abi(void);

// The library's version, such as 0.1.0: static.
//
// Threads: any, also inside a callback.
const char *km_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KEEPMIND_H */
