import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Member } from "~/api/types";

type Role = Member["role"];

export const ROLES = ["expert", "researcher", "admin"] as const satisfies readonly Role[];

export const ROLE_NAMES: Record<Role, MessageDescriptor> = {
  expert: msg({ message: "Expert", context: "role in a study" }),
  researcher: msg({ message: "Researcher", context: "role in a study" }),
  admin: msg({ message: "Admin", context: "role in a study" }),
};

/** Each role with its purpose, for choosing one for other people. */
export const ROLE_MEANINGS: Record<Role, MessageDescriptor> = {
  expert: msg`Expert: answers`,
  researcher: msg`Researcher: analyses, and sees which side is which`,
  admin: msg`Admin: runs the study`,
};
