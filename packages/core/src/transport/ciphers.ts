/**
 * Cipher suites of TLS 1.3, and those of TLS 1.2 with an ephemeral key exchange, in OpenSSL's notation. With a static
 * RSA key exchange, an attacker who later obtains the server's key can decrypt recorded connections (RFC 9325, section
 * 4.1).
 */
export const forwardSecretCiphers: string = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE+HIGH",
  "DHE+HIGH",
  "!aNULL",
  "!eNULL",
  "!PSK",
].join(":");
