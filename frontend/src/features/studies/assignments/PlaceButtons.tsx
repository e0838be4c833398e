import type { MessageDescriptor } from "@lingui/core";
import { i18n } from "@lingui/core";
import { msg, t as say } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import classes from "./AssignmentsTab.module.css";
import type { AssignedPlace } from "./calls";

const WORDS: Record<AssignedPlace["state"], MessageDescriptor> = {
  free: msg({ message: "free", context: "a place" }),
  given: msg({ message: "not started", context: "a place" }),
  in_hand: msg({ message: "in progress", context: "a place" }),
  answered: msg({ message: "answered", context: "a place" }),
  skipped: msg({ message: "skipped", context: "a place" }),
};

type Props = {
  comparison: number;
  places: AssignedPlace[];
  chosen: ReadonlySet<number>;
  mayChange: boolean;
  onPlace: (id: number) => void;
};

/** The places of one comparison; those that may still change hands can be chosen. */
export function PlaceButtons({ comparison, places, chosen, mayChange, onPlace }: Props) {
  const { t } = useLingui();
  return (
    <ul className={classes.places} aria-label={t`Places in comparison ${comparison}`}>
      {places.map((place) => {
        const words = placeInWords(place);
        const isOpen = place.state === "given" || place.state === "in_hand";
        return (
          <li key={place.id}>
            {mayChange && isOpen ? (
              <button
                type="button"
                className={classes.place}
                data-state={place.state}
                aria-pressed={chosen.has(place.id)}
                onClick={() => onPlace(place.id)}
              >
                {words}
              </button>
            ) : (
              <span className={classes.place} data-state={place.state}>
                {words}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function placeInWords({ expert, state, is_pilot }: AssignedPlace): string {
  const how = i18n._(WORDS[state]);
  if (expert === null) return is_pilot ? say`${how} (pilot)` : how;
  return is_pilot ? say`Expert ${expert}, ${how} (pilot)` : say`Expert ${expert}, ${how}`;
}
