import type { StudyOverview } from "~/api/types";
import { counted } from "~/components/words";
import classes from "./Overview.module.css";
import { day } from "./words";

const WIDTH = 640;
const HEIGHT = 130;

/** Answers per day as bars. The numbers stand in words for those who cannot see them. */
export function DayBars({ days }: { days: StudyOverview["days"] }) {
  const most = Math.max(1, ...days.map(({ answers }) => answers));
  const step = WIDTH / Math.max(14, days.length);
  const first = days[0];
  const best = first && days.reduce((top, one) => (one.answers > top.answers ? one : top), first);
  if (!first || !best?.answers) return <p className="soft">No answers yet.</p>;
  const words = `From ${day(first.date)} until today, most on ${day(best.date)}: ${counted(best.answers, "answer")}.`;
  return (
    <figure className={classes.days}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Answers per day. ${words}`}>
        {days.map(({ date, answers }, place) => {
          const height = answers === 0 ? 0 : Math.max(2, (answers / most) * (HEIGHT - 4));
          return (
            <rect
              key={date}
              x={place * step}
              y={HEIGHT - 1 - height}
              width={step * 0.75}
              height={height}
            >
              <title>{`${day(date)}: ${counted(answers, "answer")}`}</title>
            </rect>
          );
        })}
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <figcaption className="soft small">{words}</figcaption>
    </figure>
  );
}
