import { t } from "@lingui/core/macro";

/** Whether this browser has passkeys on this page: they need HTTPS, or the very machine. */
export function canUsePasskeys(): boolean {
  return "PublicKeyCredential" in window && "credentials" in navigator;
}

/** Asks the device to make a passkey. The server's options, and what is returned, have their bytes in base64url. */
export async function makePasskey(given: unknown) {
  const options = given as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: (options.excludeCredentials ?? []).map(described),
  } as unknown as PublicKeyCredentialCreationOptions;
  const made = await asked(() => navigator.credentials.create({ publicKey }));
  const response = made.response as AuthenticatorAttestationResponse;
  return {
    ...named(made),
    response: {
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
    },
  };
}

/** Asks the device to use one of the person's passkeys. */
export async function takePasskey(given: unknown) {
  const options = given as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    allowCredentials: (options.allowCredentials ?? []).map(described),
  } as unknown as PublicKeyCredentialRequestOptions;
  const used = await asked(() => navigator.credentials.get({ publicKey }));
  const response = used.response as AuthenticatorAssertionResponse;
  return {
    ...named(used),
    response: {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
    },
  };
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const found = await ask();
    if (found) return found as PublicKeyCredential;
  } catch (error) {
    throw new Error(sentenceFor(error instanceof DOMException ? error.name : ""));
  }
  throw new Error(sentenceFor(""));
}

function sentenceFor(name: string): string {
  if (name === "NotAllowedError" || name === "AbortError")
    return t`It was cancelled, it took too long, or this device has no passkey for your account.`;
  if (name === "InvalidStateError") return t`This device already has a passkey for your account.`;
  if (name === "SecurityError") return t`Passkeys work only at this server's own address.`;
  return t`This browser could not use a passkey.`;
}

function named({ id, rawId }: PublicKeyCredential) {
  return { id, rawId: text(rawId), type: "public-key" as const };
}

function described({ id }: PublicKeyCredentialDescriptorJSON) {
  return { type: "public-key", id: bytes(id) };
}

function bytes(value: string): Uint8Array<ArrayBuffer> {
  const plain = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (one) => one.charCodeAt(0));
}

function text(value: ArrayBuffer): string {
  const plain = btoa(String.fromCharCode(...new Uint8Array(value)));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
