declare module "*.po?first" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?first&english" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?later" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?later&english" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?researchers" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?researchers&english" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}
