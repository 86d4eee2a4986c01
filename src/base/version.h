/* The version that --version prints; the build defines it. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#ifndef DOYEN_VERSION
#error "the build defines DOYEN_VERSION"
#endif

#endif
