#include "usage/remedy.h"

#include <errno.h>

const char *remedy_of_write(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "make room";
    case EROFS:
        return "make that disk writable, or choose another place";
    case EACCES:
    case EPERM:
        return "let this account write there, or choose another place";
    case ENOENT:
    case ENOTDIR:
        return "make its folder first, or choose another place";
    case ENAMETOOLONG:
        return "choose a shorter name";
    case EEXIST:
    case EISDIR:
        return "choose another name";
    case EFBIG:
        return "raise the limit for the size of a file";
    case EIO:
        return "look after that disk";
    case EBADF:
    case EINVAL:
        return "leave it open";
    default:
        return "choose another place";
    }
}
