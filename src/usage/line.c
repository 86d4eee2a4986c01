#include "usage/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORD_MAX = 240, /* a path of some length is to be whole */
    WORD_SHOWN = 160,
    KEY_LETTERS = 43, /* of a key in base64, before its "=" */
};

/* How many letters of base64 it begins with. */
static size_t key_letters(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

bool line_is_key(const char *text)
{
    return key_letters(text) == KEY_LETTERS && strcmp(text + KEY_LETTERS, "=") == 0;
}

/* The '/' of a folder is such a letter, too. */
void line_hide_keys(char *text)
{
    while (*text != '\0') {
        const size_t length = key_letters(text);
        if (length >= KEY_LETTERS && text[length] == '=') {
            memset(text + length - KEY_LETTERS, '*', KEY_LETTERS + 1);
        }
        text += length + (text[length] != '\0');
    }
}

/* Where to cut, so that no character of several bytes loses some of them. */
static size_t cut_before(const char *word)
{
    size_t shown = WORD_SHOWN;

    while (shown > WORD_SHOWN - 4 && ((unsigned char)word[shown] & 0xc0) == 0x80) {
        shown--;
    }
    return shown;
}

/* How many characters of the sentence stand behind what was typed: a quote, a colon. */
static size_t punctuation(const char *word, size_t length)
{
    size_t count = 0;

    while (count < 2 && strchr("'\":;,", word[length - 1 - count]) != NULL) {
        count++;
    }
    return count;
}

/* In place: it only grows shorter. */
static void shorten_words(char *text)
{
    char *to = text;

    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        size_t copied = 0;
        if (length > WORD_MAX) {
            const size_t shown = cut_before(text);
            memmove(to, text, shown);
            memcpy(to + shown, "...", 3);
            to += shown + 3;
            copied = length - punctuation(text, length);
        }
        /* The rest of the word, and the blank behind it. */
        const size_t rest = length - copied + (text[length] == ' ');
        memmove(to, text + copied, rest);
        to += rest;
        text += copied + rest;
    }
    *to = '\0';
}

void line_set(char *to, size_t size, const char *format, va_list arguments)
{
    va_list again;
    char *whole = NULL;

    va_copy(again, arguments);
    if (vasprintf(&whole, format, again) < 0) {
        vsnprintf(to, size, format, arguments);
    } else {
        line_hide_keys(whole);
        shorten_words(whole);
        snprintf(to, size, "%s", whole);
        free(whole);
    }
    va_end(again);
}
