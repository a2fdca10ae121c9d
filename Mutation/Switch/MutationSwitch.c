#include "MutationSwitch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int32_t kairan_mutation_selected = -1;
uint8_t *kairan_mutation_reached = NULL;
size_t kairan_mutation_reached_size = 0;

static void fail(const char *text) {
    perror(text);
    _exit(70);
}

// The file is mapped, so that a process that crashes leaves what it has reached until then.
static void trace(const char *path) {
    int file = open(path, O_RDWR);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) fail(path);
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) fail(path);
    close(file);
    kairan_mutation_reached_size = (size_t)status.st_size;
    kairan_mutation_reached = bytes;
}

// Before any code of Swift, whose constants may contain mutants.
__attribute__((constructor(101))) static void select_mutant(void) {
    const char *number = getenv("KAIRAN_MUTANT");
    if (number != NULL) kairan_mutation_selected = (int32_t)strtol(number, NULL, 10);
    const char *path = getenv("KAIRAN_MUTANT_TRACE");
    if (path != NULL) trace(path);
}
