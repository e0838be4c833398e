import { t } from "@lingui/core/macro";
import type { DemoRole } from "./calls";

export const roleName = (role: DemoRole): string =>
  ({
    expert: t({ message: "Expert", context: "role in the demo" }),
    researcher: t({ message: "Researcher", context: "role in the demo" }),
    admin: t({ message: "Admin", context: "role in the demo" }),
  })[role];

export const whatToSee = (role: DemoRole): string =>
  ({
    expert: t`Label short texts, and say which of two descriptions of each is more accurate: the page that your experts will see.`,
    researcher: t`See what people and systems say about each text, and find out which metric agrees with the experts.`,
    admin: t`Invite people, assign texts, deal with what experts report, and look after the server.`,
  })[role];

export const stepInto = (role: DemoRole): string =>
  ({
    expert: t`Step in as the expert`,
    researcher: t`Step in as the researcher`,
    admin: t`Step in as the admin`,
  })[role];

export const whoOneIs = (role: DemoRole): string =>
  ({
    expert: t`Demo: you are the expert.`,
    researcher: t`Demo: you are the researcher.`,
    admin: t`Demo: you are the admin.`,
  })[role];
