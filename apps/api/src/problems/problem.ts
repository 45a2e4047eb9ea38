import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'One wrong field of a request.' })
export class ProblemField {
  @ApiProperty({ description: 'JSON pointer into the body, or the name of a parameter.', example: '/partitions' })
  pointer!: string;

  @ApiProperty({ example: 'must be a whole number from 1 to 100000' })
  detail!: string;
}

/** The body of every answer that is not a success: RFC 9457, with Kafka's code and what to do about it. */
@ApiSchema({
  description: 'RFC 9457 problem details. Some codes add members of their own, such as the current epoch.',
})
export class Problem {
  @ApiProperty({ description: 'Identifies the kind of problem.', example: '/problems/unknown-topic-or-partition' })
  type!: string;

  @ApiProperty({ example: 'Unknown topic or partition' })
  title!: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status again.', minimum: 400, maximum: 599, example: 404 })
  status!: number;

  @ApiProperty({ description: 'What is wrong this time.', example: 'Cluster default has no topic orders.' })
  detail!: string;

  @ApiProperty({ description: 'The path of the request.', example: '/v1/clusters/default/topics/orders' })
  instance!: string;

  @ApiProperty({
    description: "Kafka's error code where Kafka has one. An open enum: accept unknown values.",
    example: 'UNKNOWN_TOPIC_OR_PARTITION',
  })
  code!: string;

  @ApiProperty({ description: 'Whether the same request may succeed later.', example: false })
  retriable!: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'How long to wait before a retry, in milliseconds.',
    minimum: 0,
  })
  retryAfterMs?: number;

  @ApiProperty({
    description: 'What to do. An open enum: rejoin, retry, refresh, stop, fix-request.',
    example: 'fix-request',
  })
  action!: string;

  @ApiProperty({ description: 'The X-Request-Id of the answer; the log has it too.', example: 'f3c1b0a2' })
  requestId!: string;

  @ApiPropertyOptional({ type: () => [ProblemField] })
  errors?: ProblemField[];
}
