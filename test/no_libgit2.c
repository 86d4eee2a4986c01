/* Instead of libgit2, which Criterion links for a diff of buffers that no test here asks for.
 *
 * Criterion starts it in the process of each test, and there it reads and parses every certificate
 * that the system trusts: a third of the time of all unit tests. A program's own functions come
 * before those of a library, so that Criterion calls these. */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);

int git_libgit2_init(void)
{
    return 1; /* how often it was started */
}

int git_libgit2_shutdown(void)
{
    return 0;
}
