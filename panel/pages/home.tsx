import { may } from '../app/session.ts';
import { t } from '../app/texts.ts';
import { Head } from '../parts/head.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { MyDay, useDay } from './home/day.tsx';
import { Numbers } from './home/numbers.tsx';
import { SetUp, useStepsLeft } from './home/set-up.tsx';

export default function Home() {
  const { steps } = useStepsLeft();
  const day = useDay();
  const { isPending } = day;
  return (
    <>
      <Head title={t.common.home} />
      {isPending ? <Skeleton lines={8} /> : <SetUp steps={steps} />}
      {/* Asked for meanwhile, but not shown where what comes above would push it down. */}
      <div hidden={isPending}>
        {!day.isPending && <MyDay {...day} />}
        {may('analytics:read') && <Numbers />}
      </div>
    </>
  );
}
