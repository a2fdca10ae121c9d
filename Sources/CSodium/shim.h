#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Swift does not import functions with a variable number of arguments. */
static inline int kairan_set_dumpable(int allowed) { return prctl(PR_SET_DUMPABLE, (unsigned long)allowed, 0, 0, 0); }
static inline int kairan_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

static inline int kairan_forbid_core_dumps(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}
