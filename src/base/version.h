/* The version that --version prints. The build says it; this is what a build without one gets. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#ifndef DOYEN_VERSION
#define DOYEN_VERSION "0.1.0"
#endif

#endif
