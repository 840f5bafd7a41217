/* stb_include.h -- finds stb_ds.h: CONTACT_STB_DS_H, else "stb_ds.h", else <stb/stb_ds.h>. Its implementation is never emitted here; a
   user's STB_DS_IMPLEMENTATION is put aside and restored. Only the array header and the accessors that do not grow are used. The short
   names (arrlen) are defined afterwards unless the user has defined STBDS_NO_SHORT_NAMES. This is needed since stb_ds.h defines them inside
   its include guard: a later include by the user would not. extern "C++" is for its templates, where contact.h is included inside the
   user's extern "C". */
#pragma once

#ifdef STB_DS_IMPLEMENTATION
#define CTI_STB_DS_WAS_IMPLEMENTATION
#undef STB_DS_IMPLEMENTATION
#endif
#ifndef INCLUDE_STB_DS_H
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#ifdef __cplusplus
extern "C++" {
#endif
#if defined(CONTACT_STB_DS_H)
#include CONTACT_STB_DS_H
#elif defined(__has_include)
#if __has_include("stb_ds.h")
#include "stb_ds.h"
#elif __has_include(<stb/stb_ds.h>)
#include <stb/stb_ds.h>
#else
#error "contact.h needs stb_ds.h: put that of https://github.com/nothings/stb beside it, install libstb-dev, or define CONTACT_STB_DS_H"
#endif
#else
#include "stb_ds.h"
#endif
#ifdef __cplusplus
}
#endif
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif
#ifdef CTI_STB_DS_WAS_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#undef CTI_STB_DS_WAS_IMPLEMENTATION
#endif
