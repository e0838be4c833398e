import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { StudyOverview } from "~/api/types";
import { calendarDay } from "~/languages/formats";
import classes from "./Overview.module.css";

const WIDTH = 640;
const HEIGHT = 130;

/** Answers per day as bars. The numbers are also in words, for people who cannot see them. */
export function DayBars({ days }: { days: StudyOverview["days"] }) {
  const { t } = useLingui();
  const most = Math.max(1, ...days.map(({ answers }) => answers));
  const step = WIDTH / Math.max(14, days.length);
  const first = days[0];
  const best = first && days.reduce((top, one) => (one.answers > top.answers ? one : top), first);
  if (!first || !best?.answers) {
    return (
      <p className="soft">
        <Trans>No answers yet.</Trans>
      </p>
    );
  }
  const [since, top] = [calendarDay(first.date), calendarDay(best.date)];
  const words = plural(best.answers, {
    one: `From ${since} until today. The best day was ${top}, with # answer.`,
    other: `From ${since} until today. The best day was ${top}, with # answers.`,
  });
  return (
    <figure className={classes.days}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t`Answers per day. ${words}`}>
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
              <title>{dayInWords(date, answers)}</title>
            </rect>
          );
        })}
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <figcaption className="soft small">{words}</figcaption>
    </figure>
  );
}

function dayInWords(date: string, answers: number): string {
  const day = calendarDay(date);
  return plural(answers, { one: `${day}: # answer`, other: `${day}: # answers` });
}
