/* contact.c -- the implementation of contact.h: compile this file once, with the switches of your project, and link with -lm. */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
