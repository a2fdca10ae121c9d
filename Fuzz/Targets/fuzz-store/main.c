#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer brings main(); the reference keeps the linker from dropping the entries. */
int (*const kairan_fuzz_entry)(const uint8_t *, size_t) = LLVMFuzzerTestOneInput;
