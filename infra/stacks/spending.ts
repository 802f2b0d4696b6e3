import type { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alarms } from './alarms.ts';
import type { AnyTable } from './data.ts';

export interface SpendingLimits {
  /** US dollars, of the whole account; no budget without. */
  monthlyBudget?: number | undefined;
  /** Within 15 minutes. */
  alarmWriteUnits: number;
  alarmReadUnits: number;
  alarmInvocations: number;
}

const periodMinutes = 15;

/** Rings when more is used than anybody meant to: within minutes by what costs most, within hours by the bill itself. */
export function watchSpending(stack: Stack, alarms: Alarms, table: AnyTable, limits: SpendingLimits): void {
  const add = (id: string, metric: Metric, threshold: number, what: string) =>
    alarms.add(stack, id, {
      metric,
      periodMinutes,
      threshold,
      description: `More than ${threshold} ${what} within ${periodMinutes} minutes`,
    });
  const { alarmWriteUnits, alarmReadUnits, alarmInvocations, monthlyBudget } = limits;
  const sum = { statistic: Stats.SUM };
  add('WriteUnits', table.metricConsumedWriteCapacityUnits(sum), alarmWriteUnits, 'write units of the table');
  add('ReadUnits', table.metricConsumedReadCapacityUnits(sum), alarmReadUnits, 'read units of the table');
  const invocations = new Metric({ namespace: 'AWS/Lambda', metricName: 'Invocations', ...sum });
  add('Invocations', invocations, alarmInvocations, 'invocations of functions in this account');
  if (monthlyBudget !== undefined) createBudget(stack, alarms, monthlyBudget);
}

function createBudget(stack: Stack, alarms: Alarms, amount: number): void {
  const topic = alarms.topicFor('budgets.amazonaws.com');
  const rings = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, threshold, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
    subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
  });
  const budget = new CfnBudget(stack, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount, unit: 'USD' } },
    notificationsWithSubscribers: [rings('ACTUAL', 80), rings('ACTUAL', 100), rings('FORECASTED', 100)],
  });
  // It tries the topic when it is made, so the topic's policy comes first.
  budget.node.addDependency(topic.node.findChild('Policy'));
}
