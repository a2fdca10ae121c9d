/* Nothing to call: the functions of libsodium that `memo.c` defines take the place of the library's. */
