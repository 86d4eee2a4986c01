#include "runtime/sealing/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/host/chance.h"
#include "runtime/host/own_file.h"
#include "usage/remedy.h"
#include "words/address_text.h"

/* --- Reading --- */

static bool refuse(struct complaint *complaint, const char *path, const char *why)
{
    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint, "--key %.200s: %s", path, why);
}

/* Could others read it? Who may have written it is own_file_open's to say. */
static bool check_mode(int fd, const char *path, struct complaint *complaint)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return refuse(complaint, path, strerror(errno));
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return refuse(complaint, path, "others may read or change it: chmod 600 it");
    }
    return true;
}

/* What to do about a file that own_file_open refused, by its error. */
static const char *remedy(int error, const char *why)
{
    switch (error) {
    case ELOOP:
        return "is a symbolic link: name the file itself";
    case ENOENT:
        return "is not there: doyend --make-key FILE makes one, and all nodes of the cluster need "
               "the same";
    case EINVAL:
        return "is no regular file: name the file that --make-key made";
    case EPERM:
        return "belongs to another account: chown it to the one that runs doyend";
    case EMLINK:
        return "has more than one name (hard links): remove the others, or copy it";
    default:
        return why;
    }
}

/* Reads all of the file, of at most KEYRING_TEXT_MAX bytes. Returns its length, or -1. */
static ssize_t read_all(int fd, char text[KEYRING_TEXT_MAX + 1])
{
    size_t length = 0;
    ssize_t more;

    do {
        more = read(fd, text + length, KEYRING_TEXT_MAX + 1 - length);
        length += more > 0 ? (size_t)more : 0;
    } while ((more > 0 && length <= KEYRING_TEXT_MAX) || (more < 0 && errno == EINTR));
    return more < 0 ? -1 : (ssize_t)length;
}

/* Is there something in that line which no key has? */
static bool line_has(const char *text, size_t length, uint32_t line, char c)
{
    const char *end = text + length;

    for (uint32_t i = 1; i < line && text != NULL; i++) {
        text = memchr(text, '\n', (size_t)(end - text));
        text = text == NULL ? NULL : text + 1;
    }
    const char *stop = text == NULL ? NULL : memchr(text, '\n', (size_t)(end - text));
    return text != NULL && memchr(text, c, (size_t)((stop == NULL ? end : stop) - text)) != NULL;
}

static bool is_of_zero_bytes(const struct key *key)
{
    static const struct key zeros;

    return memcmp(key->bytes, zeros.bytes, KEY_BYTES) == 0;
}

static bool parse_text(struct keyring *ring, const char *text, size_t length, const char *path,
                       struct complaint *complaint)
{
    char why[160];
    uint32_t line;

    switch (keyring_parse(ring, text, length, &line)) {
    case KEYRING_OK:
        for (uint32_t i = 0; i < ring->count; i++) {
            if (is_of_zero_bytes(&ring->keys[i])) {
                keyring_wipe(ring);
                return refuse(complaint, path,
                              "has a key of zeros, which everybody can guess: doyend --make-key "
                              "FILE makes one");
            }
        }
        return true;
    case KEYRING_LINE:
        snprintf(why, sizeof why,
                 line_has(text, length, line, '"') || line_has(text, length, line, '\'')
                     ? "line %u has quotes around its key: take them out"
                     : "line %u is no key of 32 bytes in base64: doyend --make-key FILE makes one",
                 (unsigned)line);
        break;
    case KEYRING_EMPTY:
        snprintf(why, sizeof why, "holds no key: doyend --make-key FILE makes one");
        break;
    case KEYRING_MANY:
        snprintf(why, sizeof why, "line %u is one key too many: %d may be there", (unsigned)line,
                 (int)KEYRING_MAX);
        break;
    case KEYRING_REPEATED:
        snprintf(why, sizeof why,
                 "line %u has the fingerprint of a line above it: leave one of them out",
                 (unsigned)line);
        break;
    }
    keyring_wipe(ring);
    return refuse(complaint, path, why);
}

bool key_file_read(const char *path, struct keyring *ring, struct complaint *complaint)
{
    char text[KEYRING_TEXT_MAX + 1];
    char why[OWN_FILE_WHY_MAX];
    const int fd = own_file_open(AT_FDCWD, path, O_RDONLY, why);
    bool sound = false;

    keyring_wipe(ring);
    if (fd < 0) {
        return refuse(complaint, path, remedy(errno, why));
    }
    if (check_mode(fd, path, complaint)) {
        const ssize_t length = read_all(fd, text);
        if (length < 0) {
            (void)refuse(complaint, path, strerror(errno));
        } else if (length > KEYRING_TEXT_MAX) {
            (void)refuse(complaint, path, "is longer than any key file");
        } else {
            sound = parse_text(ring, text, (size_t)length, path, complaint);
        }
        secret_wipe(text, sizeof text);
    }
    (void)close(fd);
    return sound;
}

/* --- Making --- */

static bool cannot_make(struct complaint *complaint, const char *path, const char *why,
                        const char *remedy)
{
    complaint->exit_code = EXIT_FAILURE;
    return complaint_set(complaint, "--make-key %.200s: %s: %s", path, why, remedy);
}

static bool draw_key(struct key *key)
{
    const bool drawn = chance_draw(key->bytes, KEY_BYTES);

    key_name(key);
    return drawn;
}

bool key_file_make(const char *path, uint16_t *fingerprint, struct complaint *complaint)
{
    char line[KEY_TEXT_MAX + 1];
    char why[OWN_FILE_WHY_MAX];
    struct key key;

    if (!draw_key(&key)) {
        return cannot_make(complaint, path, "the system gives no random bytes", "try again");
    }
    const int fd = own_file_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, why);
    if (fd < 0) {
        return errno == EEXIST ? cannot_make(complaint, path,
                                             "is there already, and a key is never overwritten",
                                             "give another name, or remove it")
               : errno == ENOENT
                   ? cannot_make(complaint, path, "its folder is not there", "make that first")
                   : cannot_make(complaint, path, why, remedy_of_write(errno));
    }
    key_print(&key, line);
    line[KEY_TEXT_MAX - 1] = '\n';
    const ssize_t written = write(fd, line, KEY_TEXT_MAX);
    int error = written < 0 || fsync(fd) != 0 ? errno : 0;
    error = written < KEY_TEXT_MAX && error == 0 ? ENOSPC : error; /* It is short, and has none. */
    *fingerprint = key.fingerprint;
    secret_wipe(line, sizeof line);
    secret_wipe(&key, sizeof key);
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error != 0) {
        (void)unlink(path);
        return cannot_make(complaint, path, strerror(error), remedy_of_write(error));
    }
    return true;
}

/* --- Does it need one? --- */

bool config_is_insecure(const struct config *config)
{
    return (config->key[0] == '\0' || config->auth == AUTH_ACCEPT) &&
           !address_is_loopback(&config->listen);
}

bool key_file_of(const struct config *config, struct keyring *ring, struct complaint *complaint)
{
    char listen[ADDRESS_TEXT_MAX];

    if (config->key[0] != '\0') {
        return key_file_read(config->key, ring, complaint);
    }
    keyring_wipe(ring);
    if (config->insecure || !config_is_insecure(config)) {
        return true;
    }
    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint,
                         "--listen %s: whoever can send there would rule this cluster: give all of "
                         "its nodes the same --key FILE (doyend --make-key FILE makes one), or say "
                         "--insecure",
                         address_text(&config->listen, listen));
}
