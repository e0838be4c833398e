import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useContext, useState } from "react";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { isolated } from "~/languages/bidi";
import { inDigits } from "~/languages/formats";
import { useSetup } from "../calls";
import { SavingContext } from "../saving";
import classes from "./Compared.module.css";
import { grouped, MOST_SHOWN, shortened, stored } from "./systems";

/** Several ticks in quick succession are one change. */
const PAUSE_MS = 500;

/** Which systems take part: all of them, unless somebody chooses. */
export function SystemChoice() {
  const { t } = useLingui();
  const saving = useContext(SavingContext);
  const study = saving?.study;
  const setup = useSetup(study?.slug ?? "");
  if (!study) return null;
  if (setup.error) {
    return (
      <ErrorNotice
        title={t`The systems could not be loaded`}
        error={setup.error}
        onRetry={() => void setup.refetch()}
      />
    );
  }
  if (!setup.data || setup.isPlaceholderData) return <Loading />;
  // Averaged runs have different names from single ones, so the list starts over.
  return (
    <Choice
      key={setup.data.available_systems.join("\n")}
      names={setup.data.available_systems}
      fewest={study.compares === "system_vs_system" ? 2 : 1}
    />
  );
}

function Choice({ names, fewest }: { names: string[]; fewest: number }) {
  const { t } = useLingui();
  const saving = useContext(SavingContext);
  const stands = saving?.study.chosen_systems ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(stands.length > 0 ? stands : names),
  );
  const [search, setSearch] = useState("");
  const later = useDebouncedCallback((systems: string[]) => saving?.save({ systems }), {
    delay: PAUSE_MS,
    flushOnUnmount: true,
  });
  const groups = grouped(names, search);
  const found = groups.flatMap((group) => group.names);
  const shown = shortened(groups);
  const count = names.filter((name) => chosen.has(name)).length;
  const tooFew =
    count < fewest &&
    (fewest === 1
      ? t`Choose at least one system. Until then, your last choice stays in effect.`
      : t`Choose at least two systems. Until then, your last choice stays in effect.`);

  function choose(some: readonly string[], isIn: boolean) {
    const next = new Set(chosen);
    for (const name of some) isIn ? next.add(name) : next.delete(name);
    setChosen(next);
    if (names.filter((name) => next.has(name)).length >= fewest) later(stored(names, next));
    else later.cancel();
  }

  const isSearched = search.trim() !== "";
  const total = inDigits(names.length);
  const [first, several] = [inDigits(MOST_SHOWN), inDigits(found.length)];
  return (
    <fieldset className={classes.systems} aria-describedby="systems-help">
      <legend>
        <Trans>Which systems are compared</Trans>
      </legend>
      <p id="systems-help" className="soft small">
        <Trans>
          All of them, unless you choose some. With fewer systems, each one gets more answers for
          the same amount of work, but a correlation across systems needs at least 10 of them.
        </Trans>
      </p>
      <div className={classes.tools}>
        <TextInput
          label={t`Find a system`}
          placeholder={t`Model, method or run`}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Button variant="default" onClick={() => choose(found, true)}>
          {isSearched ? t`Choose all found` : t`Choose all`}
        </Button>
        <Button variant="default" onClick={() => choose(found, false)}>
          {isSearched ? t`Choose none found` : t`Choose none`}
        </Button>
        <span role="status" className="small">
          {plural(count, { one: `# of ${total} chosen`, other: `# of ${total} chosen` })}
        </span>
      </div>
      {(tooFew || saving?.problems.systems) && (
        <p role="alert" className={classes.problem}>
          {tooFew || saving?.problems.systems}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.list} aria-label={t`Systems`} tabIndex={0}>
        {groups.length === 0 && (
          <p className="soft">
            <Trans>No matching systems.</Trans>
          </p>
        )}
        {shown.map((group) => {
          const all = groups.find(({ model }) => model === group.model)?.names ?? [];
          const taken = all.filter((name) => chosen.has(name)).length;
          const model = isolated(group.model);
          const [few, many] = [inDigits(taken), inDigits(all.length)];
          return (
            <div key={group.model} className={classes.group}>
              {(all.length > 1 || all[0] !== group.model) && (
                <Checkbox
                  label={t`${model} (${few} of ${many})`}
                  className={classes.model}
                  checked={taken === all.length}
                  indeterminate={taken > 0 && taken < all.length}
                  onChange={(event) => choose(all, event.currentTarget.checked)}
                />
              )}
              <div className={classes.members}>
                {group.names.map((name) => (
                  <Checkbox
                    key={name}
                    label={<bdi>{name}</bdi>}
                    checked={chosen.has(name)}
                    onChange={(event) => choose([name], event.currentTarget.checked)}
                  />
                ))}
              </div>
            </div>
          );
        })}
        {found.length > MOST_SHOWN && (
          <p className="soft small">
            <Trans>
              Showing the first {first} of {several}. Search for the others by name.
            </Trans>
          </p>
        )}
      </section>
    </fieldset>
  );
}
