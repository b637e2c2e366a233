/* A caller that does everything wrong.
 *
 *     hostile             runs all cases
 *     hostile NAME...     runs these
 *     hostile --list      says which there are
 *     hostile --leave     exits in the middle of everything
 *     hostile --leave-tidily
 *                         exits, and then uses, closes and frees what it has
 *
 * Files are made in the current folder. Fails at the first thing that is not as keepmind.h promises. */
#include "check.h"

static const struct test *const groups[] = {argument_tests,  handle_tests, callback_tests,
                                            finalizer_tests, thread_tests, process_tests};
#define GROUPS (sizeof groups / sizeof groups[0])

static int is_wanted(const char *name, int count, char **arguments)
{
    int index;
    for (index = 1; index < count; index++) {
        if (strcmp(arguments[index], name) == 0) {
            return 1;
        }
    }
    return count == 1;
}

const char *program;

int main(int count, char **arguments)
{
    const int is_list = count == 2 && strcmp(arguments[1], "--list") == 0;
    int ran = 0;
    size_t group;
    program = arguments[0];
    if (count == 2 && strcmp(arguments[1], "--leave") == 0) {
        leave();
    }
    if (count == 2 && strcmp(arguments[1], "--leave-tidily") == 0) {
        leave_tidily();
    }
    CHECK(km_abi() == KM_ABI);
    CHECK(strlen(km_version()) > 0);
    for (group = 0; group < GROUPS; group++) {
        const struct test *test;
        for (test = groups[group]; test->name != NULL; test++) {
            if (is_list) {
                puts(test->name);
                ran++;
            } else if (is_wanted(test->name, count, arguments)) {
                printf("%s\n", test->name);
                fflush(stdout);
                test->run();
                ran++;
            }
        }
    }
    CHECK(ran > 0);
    return 0;
}
