import classes from "./AssignmentsTab.module.css";
import type { AssignedPlace } from "./calls";

const WORDS: Record<AssignedPlace["state"], string> = {
  free: "free",
  given: "not begun",
  in_hand: "in hand",
  answered: "answered",
  skipped: "skipped",
};

type Props = {
  of: string;
  places: AssignedPlace[];
  chosen: ReadonlySet<number>;
  mayChange: boolean;
  onPlace: (id: number) => void;
};

/** The places of one comparison; those that may still change hands can be chosen. */
export function PlaceButtons({ of, places, chosen, mayChange, onPlace }: Props) {
  return (
    <ul className={classes.places} aria-label={`Places of ${of.toLowerCase()}`}>
      {places.map((place) => {
        const words =
          (place.expert === null ? "" : `Expert ${place.expert}, `) +
          WORDS[place.state] +
          (place.is_pilot ? " (pilot)" : "");
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
