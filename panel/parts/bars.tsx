import { count } from '../app/show.ts';
import { t } from '../app/texts.ts';

interface Series {
  title: string;
  /** Picks its colour in the style sheet. */
  name: 'first' | 'second';
}

interface Bar {
  /** What it is of, as it is shown: a day. */
  label: string;
  /** One for each series. */
  values: readonly number[];
}

interface BarsProps {
  title: string;
  series: readonly Series[];
  /** Undefined while they are asked for. */
  bars: readonly Bar[] | undefined;
  /** What each bar is of. */
  of?: string;
  /** How a value is written. */
  written?: (value: number) => string;
}

const height = 100;
const room = 10;

/** Bars side by side, with the same numbers as a table for who cannot see them. */
export function Bars({ title, series, bars: given, of: unit = t.parts.day, written = count }: BarsProps) {
  const bars = given ?? [];
  const isEmpty = bars.every(({ values }) => values.every((value) => value === 0));
  const highest = Math.max(1, ...bars.flatMap(({ values }) => values));
  const width = (room - 2) / series.length;
  const isEvery = bars.length <= 6;
  const labels = isEvery ? bars : [0, Math.floor(bars.length / 2), bars.length - 1].map((at) => bars[at]);
  return (
    <figure class="bars">
      <figcaption>
        <span>{title}</span>
        {series.map(({ title: text, name }) => (
          <span key={name} class={`legend ${name}`}>
            {text}
          </span>
        ))}
      </figcaption>
      {given && isEmpty && <p class="hint">{t.parts.nothingToShow}</p>}
      <div class="plot" aria-hidden="true" hidden={given && isEmpty}>
        {!given && <span class="skeleton" />}
        <span class="highest" hidden={!given}>
          {written(highest)}
        </span>
        <svg aria-hidden="true" viewBox={`0 0 ${bars.length * room} ${height}`} preserveAspectRatio="none">
          {bars.map(({ label, values }, at) => (
            <g key={label}>
              <title>{`${label}: ${series.map((of, index) => `${of.title} ${written(values[index] ?? 0)}`).join(', ')}`}</title>
              <rect class="whole" x={at * room} y={0} width={room} height={height} />
              {series.map(({ name }, index) => {
                const size = ((values[index] ?? 0) / highest) * height;
                return (
                  <rect
                    key={name}
                    class={name}
                    x={at * room + 1 + index * width}
                    y={height - size}
                    width={width}
                    height={size}
                  />
                );
              })}
            </g>
          ))}
        </svg>
        <div class={isEvery ? 'labels every' : 'labels'}>
          {labels.map((bar, at) => (
            <span key={at}>{bar?.label}</span>
          ))}
        </div>
      </div>
      <details>
        <summary>{t.parts.asATable}</summary>
        <div class="scroller">
          <table>
            <caption class="hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{unit}</th>
                {series.map((of) => (
                  <th key={of.name} scope="col" class="number">
                    {of.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ label, values }) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map((of, index) => (
                    <td key={of.name} class="number">
                      {written(values[index] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
