// Preloaded (LD_PRELOAD) into a program that is linked dynamically with glibc, counts the blocks that it allocates, and
// writes the number to the file named by COUNT_ALLOCATIONS_TO at exit.
