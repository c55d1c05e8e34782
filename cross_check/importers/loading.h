/* Shared libraries at run time, on Windows and elsewhere. */
#ifndef LOADING_H
#define LOADING_H

#include <stdio.h>
#include <stdlib.h>

typedef void (*AnyFunction)(void);

#ifdef _WIN32
#include <windows.h>

static void *load_library(const char *path)
{
    return (void *)LoadLibraryA(path);
}

static AnyFunction find_function(void *library, const char *name)
{
    return (AnyFunction)GetProcAddress((HMODULE)library, name);
}
#else
#include <dlfcn.h>
#include <string.h>

static void *load_library(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static AnyFunction find_function(void *library, const char *name)
{
    void *address = dlsym(library, name);
    AnyFunction function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}
#endif

static AnyFunction load_function(void *library, const char *name)
{
    AnyFunction function = find_function(library, name);
    if (!function) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(3);
    }
    return function;
}

#endif
