/* jsonread.c -- read JSON, one token at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/jsonread.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

/* Tokens that may come next. */
enum state {
	WANT_VALUE,		/* at the beginning, behind a colon or a comma of an array */
	WANT_FIRST_VALUE,	/* behind [: a value or ] */
	WANT_FIRST_KEY,		/* behind {: a key or } */
	WANT_COMMA,		/* behind a value: a comma, } or ]; or the end of it all */
	FAILED
};

enum { NO_BYTE = -1, READ_FAILED = -2 };

void jsonread_open(struct jsonread *j, struct textfile *in)
{
	*j = (struct jsonread){ .in = in, .text = "", .state = WANT_VALUE };
}

void jsonread_close(struct jsonread *j)
{
	free(j->buffer);
	j->buffer = NULL;
}

/* ---- bytes ------------------------------------------------------------------------------- */

static int refill_buffer(struct jsonread *j, struct mu_error *err)
{
	ssize_t n = textfile_read(j->in, j->chunk, sizeof(j->chunk), err);

	if (n < 0)
		return READ_FAILED;
	j->read += j->end;
	j->at = 0;
	j->end = (size_t)n;
	return n == 0 ? NO_BYTE : j->chunk[0];
}

/* The next byte, which stays; NO_BYTE at the end, READ_FAILED with ERR. */
static int peek_byte(struct jsonread *j, struct mu_error *err)
{
	return j->at < j->end ? j->chunk[j->at] : refill_buffer(j, err);
}

static uint64_t byte_position(const struct jsonread *j)
{
	return j->read + j->at;
}

static enum json_token fail_at_byte(struct jsonread *j, int byte, const char *what,
				    struct mu_error *err)
{
	unsigned long long at = byte_position(j);

	j->state = FAILED;
	if (byte == NO_BYTE)
		mu_error_set(err, MU_ERROR_TRUNCATED, at, "ends too early, at byte %llu", at);
	else if (byte != READ_FAILED)
		mu_error_set(err, MU_ERROR_FORMAT, at, "no JSON: %s at byte %llu", what, at);
	return JSON_ERROR;
}

static int skip_blanks(struct jsonread *j, struct mu_error *err)
{
	int byte;

	while ((byte = peek_byte(j, err)) == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
		j->at++;
	return byte;
}

/* ---- strings ----------------------------------------------------------------------------- */

/* The reader of the string looks at its length after each character. */
static void append_text_byte(struct jsonread *j, unsigned int byte)
{
	if (j->length + 1 >= j->room) {
		j->room = j->room ? 2 * j->room : 256;
		j->buffer = xreallocarray(j->buffer, j->room, 1);
	}
	j->buffer[j->length++] = (char)byte;
}

static void append_code_point(struct jsonread *j, uint32_t code)
{
	if (code == 0)
		code = 0xfffd;
	if (code < 0x80) {
		append_text_byte(j, code);
	} else if (code < 0x800) {
		append_text_byte(j, 0xc0 | code >> 6);
		append_text_byte(j, 0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		append_text_byte(j, 0xe0 | code >> 12);
		append_text_byte(j, 0x80 | (code >> 6 & 0x3f));
		append_text_byte(j, 0x80 | (code & 0x3f));
	} else {
		append_text_byte(j, 0xf0 | code >> 18);
		append_text_byte(j, 0x80 | (code >> 12 & 0x3f));
		append_text_byte(j, 0x80 | (code >> 6 & 0x3f));
		append_text_byte(j, 0x80 | (code & 0x3f));
	}
}

/* The four digits behind \u. Returns the byte that is none, or 0. */
static int read_hex_digits(struct jsonread *j, uint32_t *code, struct mu_error *err)
{
	static const char digits[] = "0123456789abcdef";

	*code = 0;
	for (int i = 0; i < 4; i++) {
		int byte = peek_byte(j, err);
		const char *digit = byte > 0 ? strchr(digits, byte | 0x20) : NULL;

		if (!digit || byte < '0')
			return byte == 0 ? 1 : byte;
		*code = *code << 4 | (uint32_t)(digit - digits);
		j->at++;
	}
	return 0;
}

static bool is_high_surrogate(uint32_t code)
{
	return code >= 0xd800 && code < 0xdc00;
}

static bool is_low_surrogate(uint32_t code)
{
	return code >= 0xdc00 && code < 0xe000;
}

/* Behind \u: a character, or a pair of surrogates. One alone is U+FFFD. `high` is a first half
 * that waits for its second one. Returns the byte that is wrong, or 0. */
static int read_unicode_escape(struct jsonread *j, uint32_t *high, struct mu_error *err)
{
	uint32_t code;
	int wrong = read_hex_digits(j, &code, err);

	if (wrong)
		return wrong;
	if (*high && is_low_surrogate(code)) {
		code = 0x10000 + ((*high & 0x3ff) << 10 | (code & 0x3ff));
		*high = 0;
	} else if (*high) {
		*high = 0;
		append_code_point(j, 0xfffd);
	}
	if (is_high_surrogate(code))
		*high = code;
	else
		append_code_point(j, is_low_surrogate(code) ? 0xfffd : code);
	return 0;
}

/* Behind a backslash. */
static int read_escape_sequence(struct jsonread *j, uint32_t *high, struct mu_error *err)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int byte = peek_byte(j, err);
	const char *known = byte > 0 ? strchr(from, byte) : NULL;

	if (byte == 'u') {
		j->at++;
		return read_unicode_escape(j, high, err);
	}
	if (!known)
		return byte == 0 ? 1 : byte;
	j->at++;
	if (*high)
		append_code_point(j, 0xfffd);
	*high = 0;
	append_text_byte(j, (unsigned int)to[known - from]);
	return 0;
}

/* Behind the opening quote. */
static enum json_token read_string_token(struct jsonread *j, enum json_token token,
					 struct mu_error *err)
{
	uint32_t high = 0;

	j->length = 0;
	for (;;) {
		int byte = peek_byte(j, err), wrong = 0;

		if (byte < 0x20)
			return fail_at_byte(j, byte, "a control character", err);
		if (byte != '\\' && high) {
			high = 0;
			append_code_point(j, 0xfffd);
		}
		j->at++;
		if (byte == '"')
			break;
		if (byte == '\\')
			wrong = read_escape_sequence(j, &high, err);
		else
			append_text_byte(j, (unsigned int)byte);
		if (j->length > JSONREAD_STRING_MAX) {
			j->state = FAILED;
			mu_error_set(err, MU_ERROR_FORMAT, j->offset,
				     "a string at byte %llu is too long",
				     (unsigned long long)j->offset);
			return JSON_ERROR;
		}
		if (wrong)
			return fail_at_byte(j, wrong, "a bad escape", err);
	}
	append_text_byte(j, 0);
	j->length--;
	j->text = j->buffer;
	return token;
}

/* ---- other values ------------------------------------------------------------------------ */

enum { NUMBER_MAX = 400 };	/* characters */

static bool is_digit(int byte)
{
	return byte >= '0' && byte <= '9';
}

/* Adds digits to the text. Returns how many. */
static int read_number_digits(struct jsonread *j, struct mu_error *err)
{
	int count = 0, byte;

	for (; is_digit(byte = peek_byte(j, err)) && j->length < NUMBER_MAX; j->at++, count++)
		append_text_byte(j, (unsigned int)byte);
	return count;
}

static bool append_if_one_of(struct jsonread *j, const char *any, struct mu_error *err)
{
	int byte = peek_byte(j, err);

	if (byte <= 0 || !strchr(any, byte))
		return false;
	append_text_byte(j, (unsigned int)byte);
	j->at++;
	return true;
}

static void convert_number(struct jsonread *j, bool is_whole)
{
	const char *digit = j->buffer + j->is_negative;

	j->text = j->buffer;
	j->number = strtod(j->buffer, NULL);
	j->magnitude = 0;
	for (; is_whole && *digit; digit++)
		is_whole = !__builtin_mul_overflow(j->magnitude, 10, &j->magnitude) &&
			   !__builtin_add_overflow(j->magnitude, (uint64_t)(*digit - '0'),
						   &j->magnitude);
	j->is_whole = is_whole;
}

static enum json_token read_number_token(struct jsonread *j, struct mu_error *err)
{
	bool is_whole = true, ok;

	j->length = 0;
	j->is_negative = append_if_one_of(j, "-", err);
	if (append_if_one_of(j, "0", err))
		ok = !is_digit(peek_byte(j, err));
	else
		ok = read_number_digits(j, err) > 0;
	if (ok && append_if_one_of(j, ".", err)) {
		is_whole = false;
		ok = read_number_digits(j, err) > 0;
	}
	if (ok && append_if_one_of(j, "eE", err)) {
		is_whole = false;
		append_if_one_of(j, "+-", err);
		ok = read_number_digits(j, err) > 0;
	}
	/* A number that is cut short cannot be told from a whole one, but by what follows. */
	if (!ok || j->length >= NUMBER_MAX)
		return fail_at_byte(j, peek_byte(j, err), "a bad number", err);
	append_text_byte(j, 0);
	j->length--;
	convert_number(j, is_whole);
	return JSON_NUMBER;
}

static enum json_token read_literal_word(struct jsonread *j, const char *word,
					 enum json_token token, struct mu_error *err)
{
	for (; *word; word++, j->at++) {
		int byte = peek_byte(j, err);

		if (byte != *word)
			return fail_at_byte(j, byte, "an unknown word", err);
	}
	return token;
}

static enum json_token enter_container(struct jsonread *j, bool is_object, struct mu_error *err)
{
	if (j->depth == JSONREAD_DEPTH)
		return fail_at_byte(j, '[', "too deep a nesting", err);
	j->at++;
	j->depth++;
	j->inside = j->inside << 1 | is_object;
	j->state = is_object ? WANT_FIRST_KEY : WANT_FIRST_VALUE;
	return is_object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token leave_container(struct jsonread *j)
{
	bool is_object = j->inside & 1;

	j->at++;
	j->depth--;
	j->inside >>= 1;
	j->state = WANT_COMMA;
	return is_object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static enum json_token read_value_token(struct jsonread *j, int byte, struct mu_error *err)
{
	if (byte == '{' || byte == '[')
		return enter_container(j, byte == '{', err);
	j->state = WANT_COMMA;
	switch (byte) {
	case '"':
		j->at++;
		return read_string_token(j, JSON_STRING, err);
	case 't':
		return read_literal_word(j, "true", JSON_TRUE, err);
	case 'f':
		return read_literal_word(j, "false", JSON_FALSE, err);
	case 'n':
		return read_literal_word(j, "null", JSON_NULL, err);
	default:
		if (byte == '-' || is_digit(byte))
			return read_number_token(j, err);
		return fail_at_byte(j, byte, "no value", err);
	}
}

static enum json_token read_member_key(struct jsonread *j, int byte, struct mu_error *err)
{
	if (byte != '"')
		return fail_at_byte(j, byte, "no name of a member", err);
	j->at++;
	if (read_string_token(j, JSON_KEY, err) < 0)
		return JSON_ERROR;
	byte = skip_blanks(j, err);
	if (byte != ':')
		return fail_at_byte(j, byte, "no colon", err);
	j->at++;
	j->state = WANT_VALUE;
	return JSON_KEY;
}

/* Behind a value. */
static enum json_token read_after_value(struct jsonread *j, int byte, struct mu_error *err)
{
	bool is_object = j->inside & 1;

	if (j->depth == 0)
		return byte == NO_BYTE ? JSON_END :
					 fail_at_byte(j, byte, "more than one value", err);
	if (byte == (is_object ? '}' : ']'))
		return leave_container(j);
	if (byte != ',')
		return fail_at_byte(j, byte, "no comma", err);
	j->at++;
	byte = skip_blanks(j, err);
	j->offset = byte_position(j);
	return is_object ? read_member_key(j, byte, err) : read_value_token(j, byte, err);
}

enum json_token jsonread_next(struct jsonread *j, struct mu_error *err)
{
	int byte;

	if (j->state == FAILED) {
		mu_error_set(err, MU_ERROR_FORMAT, j->offset, "no JSON");
		return JSON_ERROR;
	}
	byte = skip_blanks(j, err);
	j->offset = byte_position(j);
	switch (j->state) {
	case WANT_COMMA:
		return read_after_value(j, byte, err);
	case WANT_FIRST_KEY:
		return byte == '}' ? leave_container(j) : read_member_key(j, byte, err);
	case WANT_FIRST_VALUE:
		return byte == ']' ? leave_container(j) : read_value_token(j, byte, err);
	default:
		return read_value_token(j, byte, err);
	}
}

int jsonread_skip(struct jsonread *j, enum json_token first, struct mu_error *err)
{
	unsigned int outside = j->depth;

	if (first == JSON_ERROR)
		return -1;
	if (first != JSON_OBJECT && first != JSON_ARRAY)
		return 0;
	for (outside--; j->depth > outside;) {
		if (jsonread_next(j, err) < 0)
			return -1;
	}
	return 0;
}
