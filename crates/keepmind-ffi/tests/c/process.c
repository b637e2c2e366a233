/* Forked processes, and whether anything is left behind after a thousand engines. */
#include "check.h"

#include <dirent.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void in_the_child(struct host *host, km_error *error, char *text)
{
    char somewhere[1];
    km_config *config = NULL;
    char *report = NULL;
    int finalized = 0;
    size_t index;
    for (index = 0; index < function_count; index++) {
        const struct function *function = &functions[index];
        struct arguments arguments = {NULL, NULL, 0, NULL, NULL};
        arguments.handle = handle_of(host, function->kind, error, NULL);
        arguments.text = function->good != NULL ? function->good : "none";
        arguments.length = strlen(arguments.text);
        arguments.out = function->has & HAS_OUT ? (void **)(void *)somewhere : NULL;
        check_status(function->name, 0, "forked", called(function, arguments), KM_FORKED);
    }
    STATUS(KM_FORKED, km_config_new(&config, NULL));
    STATUS(KM_FORKED, km_copy(TEXT("forked.db"), TEXT("copy.db"), 0, NULL, NULL, &report, NULL));
    STATUS(KM_FORKED, km_config_set_model(host->config, NULL, &finalized, count_up, NULL));
    CHECK(finalized == 1);
    /* What forks leaves the allocator in order. */
    km_string_free(text);
    CHECK(strcmp(km_error_message(error), "") == 0 && km_error_code(error) == NULL);
    CHECK(km_error_is_retryable(error) == 0);
    CHECK(km_abi() == KM_ABI && strlen(km_version()) > 0);
}

static void a_forked_process(void)
{
    struct host host = host_on("forked.db");
    km_error *error = NULL;
    char *text = NULL;
    pid_t child;
    int status = 0;
    STATUS(KM_NULL, km_config_new(NULL, &error));
    OK(km_session_id(host.session, &text, NULL));
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        in_the_child(&host, error, text);
        /* Without an exit: what only the parent's threads held would be found lost there. */
        kill(getpid(), SIGKILL);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    /* Here nothing has changed. */
    CHECK(strlen(text) == 36);
    km_string_free(text);
    STATUS(KM_NULL, km_error_status(error));
    OK(km_error_free(error));
    say(host.session, "I drink tea.");
    host_free(&host);
}

struct busy {
    km_session *session;
    struct gate rounds;
    struct gate is_over;
};

static void *keeps_saying(void *data)
{
    struct busy *busy = (struct busy *)data;
    while (gate_count(&busy->is_over) == 0) {
        say(busy->session, "I drink tea.");
        gate_raise(&busy->rounds);
    }
    return NULL;
}

/* Forks while others hold what there is to hold; the child has none of their threads. */
static void a_fork_among_busy_threads(void)
{
    struct host host = host_on("busy.db");
    struct busy busy = {NULL, GATE, GATE};
    pthread_t threads[4];
    int index, status = 0;
    busy.session = host.session;
    for (index = 0; index < 4; index++) {
        threads[index] = started(keeps_saying, &busy);
    }
    for (index = 0; index < 20; index++) {
        pid_t child;
        gate_wait(&busy.rounds, gate_count(&busy.rounds) + 1);
        child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            char *answer = NULL;
            STATUS(KM_FORKED, km_session_push(host.session, KM_ROLE_USER, TEXT("I drink tea."), NULL, 0, &answer, NULL));
            STATUS(KM_FORKED, km_session_free(host.session));
            STATUS(KM_FORKED, km_engine_close(host.engine, NULL));
            STATUS(KM_FORKED, km_engine_free(host.engine));
            kill(getpid(), SIGKILL);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    gate_raise(&busy.is_over);
    for (index = 0; index < 4; index++) {
        joined(threads[index]);
    }
    host_free(&host);
}

static void model_stays_away(void *data, const char *request, km_reply *reply)
{
    (void)request, (void)reply;
    gate_raise((struct gate *)data);
    for (;;) {
        pause();
    }
}

static void *waits_for_the_model(void *data)
{
    char *closed = NULL;
    (void)km_session_close((km_session *)data, &closed, NULL);
    return NULL;
}

void leave(void)
{
    static struct gate asked = GATE;
    km_config *config = new_config("left.db");
    struct host host;
    OK(km_config_set_model(config, model_stays_away, &asked, NULL, NULL));
    host = host_of(config);
    say(host.session, "I drink tea.");
    (void)started(waits_for_the_model, host.session);
    gate_wait(&asked, 1);
    exit(0);
}

static struct host host_of_the_end;

static void at_the_end(void)
{
    say(host_of_the_end.session, "I drink tea.");
    OK(km_engine_close(host_of_the_end.engine, NULL));
    host_free(&host_of_the_end);
    /* Nobody has it open any more. */
    CHECK(access("left.db-wal", F_OK) != 0);
}

void leave_tidily(void)
{
    CHECK(atexit(at_the_end) == 0);
    host_of_the_end = host_on("left.db");
    exit(0);
}

static void left_by(const char *how)
{
    struct host host;
    char *found = NULL;
    int status = 0;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        execl(program, program, how, (char *)NULL);
        _exit(127);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* What was acknowledged there is here. */
    host = host_on("left.db");
    OK(km_user_request(host.user, TEXT("{\"request\":\"search_sessions\",\"text\":\"tea\"}"), &found, NULL));
    CHECK(strstr(found, "I drink tea.") != NULL);
    km_string_free(found);
    host_free(&host);
    CHECK(remove("left.db") == 0);
}

static void a_process_that_leaves(void)
{
    left_by("--leave");
    left_by("--leave-tidily");
}

static int entries(const char *folder)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    int count = 0;
    CHECK(open != NULL);
    while ((entry = readdir(open)) != NULL) {
        count += entry->d_name[0] != '.';
    }
    closedir(open);
    return count;
}

static long resident_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size = 0, resident = 0;
    CHECK(file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return resident;
}

static void model_says_nothing(void *data, const char *request, km_reply *reply)
{
    (void)data, (void)request;
    OK(km_reply_text(reply, TEXT("{\"ops\":[]}"), NULL));
}

static void cycle(const char *store, int *finalized)
{
    km_config *config = new_config(store);
    struct host host;
    char *closed = NULL;
    OK(km_config_set_model(config, model_says_nothing, NULL, NULL, NULL));
    OK(km_config_set_embedder(config, TEXT("e-1"), 3, model_says_nothing, finalized, count_up, NULL));
    STATUS(KM_NULL, km_config_set_log(config, NULL, finalized, count_up, NULL));
    host = host_of(config);
    /* Nothing that would be kept: a file with ever more memories takes ever more memory to read. */
    say(host.session, "Hello.");
    OK(km_session_close(host.session, &closed, NULL));
    km_string_free(closed);
    STATUS(KM_INVALID, km_user_request(host.user, TEXT("{}"), &closed, NULL));
    host_free(&host);
}

/* How many engines are opened: fewer where each takes long. */
static int cycles(void)
{
    const char *wanted = getenv("KEEPMIND_CYCLES");
    return wanted != NULL ? atoi(wanted) : 1000;
}

/* Threads that have ended are listed until the system has let go of them. */
static void threads_are(int wanted)
{
    long patience = 10000000;
    while (entries("/proc/self/task") > wanted && --patience > 0) {
        sched_yield();
    }
    CHECK(patience > 0);
}

/* What is allocated and not freed, which is exact where pages are not. Older systems do not say. */
static long bytes_in_use(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
#else
    return 0;
#endif
}

static void nothing_is_left(const char *store)
{
    const int count = cycles();
    int files, threads, round, finalized = 0;
    long bytes, pages;
    /* With an arena for each thread, how many pages stay resident is a matter of which threads met. A tool that
     * brings its own allocator refuses. */
    (void)mallopt(M_ARENA_MAX, 1);
    threads = entries("/proc/self/task");
    /* What is made once and stays: tables, allocator, the file itself. */
    for (round = 0; round < count / 10 + 1; round++) {
        cycle(store, &finalized);
    }
    threads_are(threads);
    files = entries("/proc/self/fd");
    bytes = bytes_in_use();
    pages = resident_pages();
    for (round = 0; round < count; round++) {
        cycle(store, &finalized);
        CHECK(entries("/proc/self/fd") == files);
    }
    threads_are(threads);
    CHECK(finalized == 2 * (count + count / 10 + 1));
    printf("    after %d engines: %d open files, %d threads, %ld bytes and %ld pages more\n", count,
           entries("/proc/self/fd"), entries("/proc/self/task"), bytes_in_use() - bytes, resident_pages() - pages);
    /* What this thread keeps at hand to allocate again counts as in use and is less than two thirds of this; the smallest
     * handle that could be forgotten takes more. Under a tool that keeps what was freed, fewer engines are opened, and the
     * tool itself says what was lost. */
    CHECK(count < 1000 || bytes_in_use() - bytes < 112L * count);
    CHECK(count < 1000 || resident_pages() - pages < 1024);
}

static void a_thousand_engines_in_memory(void)
{
    nothing_is_left("memory:");
}

static void a_thousand_engines_on_a_file(void)
{
    nothing_is_left("cycles.db");
}

const struct test process_tests[] = {
    {"a_forked_process", a_forked_process},
    {"a_fork_among_busy_threads", a_fork_among_busy_threads},
    {"a_process_that_leaves", a_process_that_leaves},
    {"a_thousand_engines_in_memory", a_thousand_engines_in_memory},
    {"a_thousand_engines_on_a_file", a_thousand_engines_on_a_file},
    {NULL, NULL},
};
