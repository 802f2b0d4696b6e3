import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { type CfnApi, CfnApiMapping, CfnDomainName, type CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';

export interface DomainSettings {
  domainName?: string | undefined;
  certificateArn?: string | undefined;
  /** `<id>:<name>` */
  hostedZone?: string | undefined;
}

interface Served {
  api: CfnApi;
  stage: CfnStage;
}

/**
 * Serves the API under a name of the operator's, with TLS 1.2 at least. With a hosted zone its records and, unless there is one, its
 * certificate are made; otherwise the output DomainTarget says what a CNAME must point at.
 */
export function createDomain(stack: Stack, { api, stage }: Served, settings: DomainSettings): void {
  const { domainName, certificateArn, hostedZone } = settings;
  if (domainName === undefined) return;
  const zone = hostedZone === undefined ? undefined : zoneOf(stack, hostedZone);
  const domain = new CfnDomainName(stack, 'Domain', {
    domainName,
    domainNameConfigurations: [
      {
        certificateArn: certificateArn ?? certificateIn(stack, domainName, zone),
        endpointType: 'REGIONAL',
        ipAddressType: 'dualstack',
        securityPolicy: 'TLS_1_2',
      },
    ],
  });
  new CfnApiMapping(stack, 'DomainMapping', { apiId: api.ref, domainName: domain.ref, stage: stage.ref });
  new CfnOutput(stack, 'DomainTarget', { value: domain.attrRegionalDomainName });
  if (!zone) return;
  const target = RecordTarget.fromAlias(
    new ApiGatewayv2DomainProperties(domain.attrRegionalDomainName, domain.attrRegionalHostedZoneId),
  );
  for (const [id, Record] of Object.entries({ DomainV4: ARecord, DomainV6: AaaaRecord }))
    new Record(stack, id, { zone, recordName: `${domainName}.`, target });
}

function zoneOf(stack: Stack, hostedZone: string): IHostedZone {
  const [hostedZoneId = '', zoneName = ''] = hostedZone.split(':');
  return HostedZone.fromHostedZoneAttributes(stack, 'Zone', { hostedZoneId, zoneName });
}

const certificateIn = (stack: Stack, domainName: string, zone: IHostedZone | undefined): string =>
  new Certificate(stack, 'Certificate', { domainName, validation: CertificateValidation.fromDns(zone) }).certificateArn;
