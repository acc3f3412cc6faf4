/* Counts for pass_worth.py: instructions, where Callgrind runs the process, and bytes allocated at once.

   Preloaded (LD_PRELOAD), so that its malloc and free stand in for those of the C library, which Numba's arrays use. */

#include <malloc.h>
#include <stddef.h>
#include <valgrind/callgrind.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static __thread int counting;
static __thread long now, most;

static void *taken(void *block) {
    if (counting && block) {
        now += (long)malloc_usable_size(block);
        if (now > most)
            most = now;
    }
    return block;
}

static void given(void *block) {
    if (counting && block)
        now -= (long)malloc_usable_size(block);
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }
void *realloc(void *block, size_t size) { given(block); return taken(__libc_realloc(block, size)); }
void free(void *block) { given(block); __libc_free(block); }

void start_instrumentation(void) { CALLGRIND_START_INSTRUMENTATION; }
void dump(const char *title) { CALLGRIND_DUMP_STATS_AT(title); }

void begin(void) {
    now = most = 0;
    counting = 1;
    CALLGRIND_TOGGLE_COLLECT;
}

long end(void) {
    CALLGRIND_TOGGLE_COLLECT;
    counting = 0;
    return most;
}
