/* contact.c -- compiled once, then only linked */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
