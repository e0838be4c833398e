declare module "*.po?everybody" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?everybody&english" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?researchers&english" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}

declare module "*.po?researchers" {
  import type { Messages } from "@lingui/core";
  export const messages: Messages;
}
