import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { type NextState, useNextStates, useTransition } from "./calls";
import classes from "./StudyPage.module.css";
import { WhatFollows } from "./WhatFollows";

const NEXT: Record<string, NextState[]> = {
  draft: ["pilot", "open"],
  pilot: ["open", "paused", "closed"],
  open: ["paused", "closed"],
  paused: ["open", "closed"],
};

const WORDS: Record<NextState, MessageDescriptor> = {
  pilot: msg`Start a pilot`,
  open: msg`Open the study for experts`,
  paused: msg({ message: "Pause", context: "a study, for all experts" }),
  closed: msg`Close permanently`,
};

/** The admin's buttons; each says what will happen before it does. */
export function StateButtons({ study }: { study: Study }) {
  const { t } = useLingui();
  const [asked, setAsked] = useState<NextState | null>(null);
  const transition = useTransition(study.slug);
  const { data } = useNextStates(study.slug);
  const isPossible = !data?.next.find(({ to }) => to === asked)?.missing;
  const next = NEXT[study.state] ?? [];
  if (study.role !== "admin" || next.length === 0) return null;

  function go() {
    if (asked) transition.mutate(asked, { onSuccess: () => setAsked(null) });
  }

  return (
    <div className={classes.buttons}>
      {next.map((to) => (
        <Button
          key={to}
          variant="default"
          onClick={() => {
            transition.reset();
            setAsked(to);
          }}
        >
          {t(WORDS[to])}
        </Button>
      ))}
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={asked ? t(WORDS[asked]) : ""}
        size="lg"
      >
        {asked && <WhatFollows slug={study.slug} to={asked} />}
        {transition.isError && (
          <ErrorNotice title={t`The study was not changed`} error={transition.error} />
        )}
        <div className={classes.buttons} data-end>
          <Button onClick={go} data-autofocus disabled={!isPossible || transition.isPending}>
            {asked && t(WORDS[asked])}
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            <Trans>Leave it as it is</Trans>
          </Button>
        </div>
      </Modal>
    </div>
  );
}
