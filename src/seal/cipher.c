#include "seal/cipher.h"

#include <assert.h>
#include <sodium.h>

_Static_assert((int)TAG_BYTES == crypto_aead_chacha20poly1305_ietf_ABYTES, "the tag's length");
_Static_assert((int)TAG_BYTES == crypto_aead_aes256gcm_ABYTES, "the tag's length");
_Static_assert((int)KEY_BYTES == crypto_aead_chacha20poly1305_ietf_KEYBYTES, "the key's length");
_Static_assert((int)KEY_BYTES == crypto_aead_aes256gcm_KEYBYTES, "the key's length");
_Static_assert((int)CIPHER_NONCE_BYTES == crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
               "the nonce's length");
_Static_assert((int)CIPHER_NONCE_BYTES == crypto_aead_aes256gcm_NPUBBYTES, "the nonce's length");

const char *algorithm_text(enum algorithm algorithm)
{
    return algorithm == ALGORITHM_AES256_GCM ? "aes256-gcm" : "chacha20-poly1305";
}

bool cipher_is_here(enum algorithm algorithm)
{
    return algorithm == ALGORITHM_CHACHA20_POLY1305 ||
           (algorithm == ALGORITHM_AES256_GCM && crypto_aead_aes256gcm_is_available() != 0);
}

void cipher_close(const struct cipher *cipher, const uint8_t *content, size_t length, uint8_t *out)
{
    assert(cipher_is_here(cipher->algorithm));
    /* Neither can fail. */
    if (cipher->algorithm == ALGORITHM_AES256_GCM) {
        (void)crypto_aead_aes256gcm_encrypt(out, NULL, content, length, cipher->authentic,
                                            cipher->authentic_bytes, NULL, cipher->nonce,
                                            cipher->key);
    } else {
        (void)crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, content, length,
                                                        cipher->authentic, cipher->authentic_bytes,
                                                        NULL, cipher->nonce, cipher->key);
    }
}

size_t cipher_open(const struct cipher *cipher, const uint8_t *bytes, size_t length, uint8_t *out)
{
    unsigned long long content = 0;
    int error;

    assert(cipher_is_here(cipher->algorithm));
    if (cipher->algorithm == ALGORITHM_AES256_GCM) {
        error = crypto_aead_aes256gcm_decrypt(out, &content, NULL, bytes, length, cipher->authentic,
                                              cipher->authentic_bytes, cipher->nonce, cipher->key);
    } else {
        error = crypto_aead_chacha20poly1305_ietf_decrypt(
            out, &content, NULL, bytes, length, cipher->authentic, cipher->authentic_bytes,
            cipher->nonce, cipher->key);
    }
    return error == 0 ? (size_t)content : 0;
}
