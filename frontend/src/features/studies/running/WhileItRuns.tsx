import { Button, Modal, NativeSelect, NumberInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Section } from "~/components/Section";
import { counted } from "~/components/words";
import classes from "../StudyPage.module.css";
import { type Change, useChangeRunning, usePlacesCost, useRunningSystems } from "./calls";
import own from "./WhileItRuns.module.css";

const MOST = 100;

/** What can still be changed after experts have begun: more places, and systems that are paused. */
export function WhileItRuns({ study }: { study: Study }) {
  const [asked, setAsked] = useState<Change | null>(null);
  const change = useChangeRunning(study.slug);
  const systems = useRunningSystems(study.slug);
  const ask = (what: Change) => {
    change.reset();
    setAsked(what);
  };
  return (
    <Section title="While it runs">
      {systems.isPending && <Loading />}
      {systems.error && (
        <ErrorNotice
          title="The systems cannot be shown"
          error={systems.error}
          onRetry={() => void systems.refetch()}
        />
      )}
      {systems.data && (
        <>
          <MorePlaces slug={study.slug} systems={systems.data.map((one) => one.name)} onAsk={ask} />
          <h3>Systems</h3>
          <p className="soft">
            A paused system is shown to nobody new. What experts have on their page can still be
            answered, and no expert is told.
          </p>
          <ul className={own.systems} aria-label="Systems">
            {systems.data.map((one) => (
              <li key={one.name} className={own.system}>
                <span className={own.name}>
                  <bdi>{one.name}</bdi>{" "}
                  <span className="soft small">
                    {one.is_paused && "paused · "}
                    {counted(one.comparisons, "comparison")}, {counted(one.free, "free place")}
                  </span>
                </span>
                <Button
                  variant="default"
                  aria-label={`${one.is_paused ? "Resume" : "Pause"} ${one.name}`}
                  onClick={() =>
                    ask({ what: one.is_paused ? "resume" : "pause", system: one.name })
                  }
                >
                  {one.is_paused ? "Resume" : "Pause"}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={asked ? titleOf(asked) : ""}
      >
        <p>{asked && meaningOf(asked, study)}</p>
        {change.error && <ErrorNotice title="Nothing was changed" error={change.error} />}
        <div className={classes.buttons} data-end>
          <Button
            data-autofocus
            disabled={change.isPending}
            onClick={() => asked && change.mutate(asked, { onSuccess: () => setAsked(null) })}
          >
            {asked && titleOf(asked)}
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            Leave it as it is
          </Button>
        </div>
      </Modal>
    </Section>
  );
}

type MorePlacesProps = { slug: string; systems: string[]; onAsk: (change: Change) => void };

function MorePlaces({ slug, systems, onAsk }: MorePlacesProps) {
  const [more, setMore] = useState(1);
  const [system, setSystem] = useState("");
  const [tried] = useDebouncedValue({ more, system }, 250);
  const cost = usePlacesCost(slug, tried);
  return (
    <>
      <h3>More places</h3>
      <div className={own.choices}>
        <NumberInput
          label="More experts for each comparison"
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
          label="In which comparisons"
          value={system}
          onChange={(event) => setSystem(event.currentTarget.value)}
          data={[
            { value: "", label: "All comparisons" },
            ...systems.map((name) => ({ value: name, label: `Those of ${name}` })),
          ]}
        />
        <Button variant="default" onClick={() => onAsk({ what: "places", more, system })}>
          Add places
        </Button>
      </div>
      <p role="status">{cost.data?.sentence}</p>
      {cost.error && (
        <ErrorNotice
          title="What this takes cannot be shown"
          error={cost.error}
          onRetry={() => void cost.refetch()}
        />
      )}
    </>
  );
}

function titleOf(change: Change): string {
  if (change.what === "places") return "Add the places";
  return `${change.what === "pause" ? "Pause" : "Resume"} ${change.system}`;
}

/** What will follow, before it happens. */
function meaningOf(change: Change, study: Study): string {
  if (change.what === "places") return meaningOfPlaces(change, study.assigning === "named");
  if (change.what === "pause") {
    return "No comparison with this system is handed out until you resume it. What experts have on their page can still be answered, and the number of texts that they were promised stays.";
  }
  return "Its comparisons are handed out again.";
}

function meaningOfPlaces({ more, system }: { more: number; system: string }, isNamed: boolean) {
  const which = system ? `Every comparison of ${system}` : "Every comparison";
  const then = isNamed
    ? "The new places are free: give them to experts under Assignments."
    : "Experts get the new places after those that are free now, and nobody’s promised number of texts changes.";
  return `${which} is shown to ${counted(more, "more expert")}. ${then} Places cannot be taken away again.`;
}
