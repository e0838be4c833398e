import { plural, t as say } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal, NativeSelect, NumberInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { isolated } from "~/languages/bidi";
import classes from "../StudyPage.module.css";
import { type Change, useChangeRunning, usePlacesCost, useRunningSystems } from "./calls";
import own from "./WhileItRuns.module.css";

const MOST = 100;

/** What can still be changed after experts have begun: adding places, and pausing systems. */
export function WhileItRuns({ study }: { study: Study }) {
  const { t } = useLingui();
  const [asked, setAsked] = useState<Change | null>(null);
  const change = useChangeRunning(study.slug);
  const systems = useRunningSystems(study.slug);
  const ask = (what: Change) => {
    change.reset();
    setAsked(what);
  };
  return (
    <Section title={t`Changes during the study`}>
      {systems.isPending && <Loading />}
      {systems.error && (
        <ErrorNotice
          title={t`The systems could not be loaded`}
          error={systems.error}
          onRetry={() => void systems.refetch()}
        />
      )}
      {systems.data && (
        <>
          <MorePlaces slug={study.slug} systems={systems.data.map((one) => one.name)} onAsk={ask} />
          <h3>
            <Trans>Systems</Trans>
          </h3>
          <p className="soft">
            <Trans>
              Experts get no new comparisons with a paused system. They can still answer the
              comparison they have open, and they are not told about the pause.
            </Trans>
          </p>
          <ul className={own.systems} aria-label={t`Systems`}>
            {systems.data.map((one) => {
              const change: Change = {
                what: one.is_paused ? "resume" : "pause",
                system: one.name,
              };
              return (
                <li key={one.name} className={own.system}>
                  <span className={own.name}>
                    <bdi>{one.name}</bdi> <span className="soft small">{aboutSystem(one)}</span>
                  </span>
                  <Button
                    variant="default"
                    aria-label={titleOf(change)}
                    onClick={() => ask(change)}
                  >
                    {one.is_paused
                      ? t({ message: "Resume", context: "a system" })
                      : t({ message: "Pause", context: "a system" })}
                  </Button>
                </li>
              );
            })}
          </ul>
        </>
      )}
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={asked ? titleOf(asked) : ""}
      >
        <p>{asked && meaningOf(asked, study)}</p>
        {change.error && <ErrorNotice title={t`Nothing was changed`} error={change.error} />}
        <div className={classes.buttons} data-end>
          <Button
            data-autofocus
            disabled={change.isPending}
            onClick={() => asked && change.mutate(asked, { onSuccess: () => setAsked(null) })}
          >
            {asked && titleOf(asked)}
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            <Trans>Leave it as it is</Trans>
          </Button>
        </div>
      </Modal>
    </Section>
  );
}

type MorePlacesProps = { slug: string; systems: string[]; onAsk: (change: Change) => void };

function MorePlaces({ slug, systems, onAsk }: MorePlacesProps) {
  const { t } = useLingui();
  const [more, setMore] = useState(1);
  const [system, setSystem] = useState("");
  const [tried] = useDebouncedValue({ more, system }, 250);
  const cost = usePlacesCost(slug, tried);
  return (
    <>
      <h3>
        <Trans>More places</Trans>
      </h3>
      <div className={own.choices}>
        <NumberInput
          label={t`Additional experts per comparison`}
          value={more}
          onChange={(next) =>
            typeof next === "number" && setMore(Math.min(MOST, Math.max(1, next)))
          }
          min={1}
          max={MOST}
          allowDecimal={false}
          allowNegative={false}
        />
        <NativeSelect
          label={t`For which comparisons`}
          value={system}
          onChange={(event) => setSystem(event.currentTarget.value)}
          data={[
            { value: "", label: t`All comparisons` },
            ...systems.map((name) => {
              const of = isolated(name);
              return { value: name, label: t`Comparisons with ${of}` };
            }),
          ]}
        />
        <Button variant="default" onClick={() => onAsk({ what: "places", more, system })}>
          <Trans>Add places</Trans>
        </Button>
      </div>
      <p role="status">{cost.data?.sentence}</p>
      {cost.error && (
        <ErrorNotice
          title={t`The effort could not be computed`}
          error={cost.error}
          onRetry={() => void cost.refetch()}
        />
      )}
    </>
  );
}

type RunningSystem = NonNullable<ReturnType<typeof useRunningSystems>["data"]>[number];

/** How much involves a system, one phrase per count. */
function aboutSystem({ is_paused, comparisons, free }: RunningSystem): string {
  return [
    ...(is_paused ? [say({ message: "paused", context: "a system" })] : []),
    plural(comparisons, { one: "# comparison", other: "# comparisons" }),
    plural(free, { one: "# free place", other: "# free places" }),
  ].join(" · ");
}

function titleOf(change: Change): string {
  if (change.what === "places") return say`Add the places`;
  const { system } = change;
  return change.what === "pause" ? say`Pause ${system}` : say`Resume ${system}`;
}

/** What will happen, before it does. */
function meaningOf(change: Change, study: Study): string {
  if (change.what === "places") return meaningOfPlaces(change, study.assigning === "named");
  if (change.what === "pause") {
    return say`Experts get no comparisons with this system until you resume it. They can still answer the comparison they have open, and the number of texts they were promised stays the same.`;
  }
  return say`Experts will get comparisons with this system again.`;
}

/** Three sentences: who sees more, what happens to the places, and that this is final. */
function meaningOfPlaces({ more, system }: { more: number; system: string }, isNamed: boolean) {
  const name = isolated(system);
  return [
    system
      ? plural(more, {
          one: `Each comparison with ${name} is shown to # more expert.`,
          other: `Each comparison with ${name} is shown to # more experts.`,
        })
      : plural(more, {
          one: "Each comparison is shown to # more expert.",
          other: "Each comparison is shown to # more experts.",
        }),
    isNamed
      ? say`The new places are free: assign them to experts under Assignments.`
      : say`Experts get the new places after the places that are free now. The number of texts each of them was promised does not change.`,
    say`You cannot remove places again.`,
  ].join(" ");
}
