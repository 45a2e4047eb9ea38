import type { LineKind } from './import-result.js';

/** Lines around the tools' output that carry no state: what they are, or `undefined`. */
export function noiseKind(line: string): LineKind | undefined {
  const text = line.trim();
  if (text === '') return 'blank';
  if (isLog(text)) return 'log';
  if (toolCommand(text) !== undefined || BARE_PROMPT.test(text)) return 'prompt';
  if (DECORATION.test(text)) return 'decoration';
  return undefined;
}

// Every pattern is anchored and has no nested repetition, so each costs at most one pass over the line.
const LOG_PATTERNS = [
  /^\[\d{4}-\d\d-\d\d[ T]/,
  /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/,
  /^\d\d:\d\d:\d\d[.,]\d/,
  /^(?:TRACE|DEBUG|INFO|WARN|WARNING|FATAL)\b(?!: Consumer group)/,
  /^(?:log4j|SLF4J|StatusLogger)\b/,
  /^(?:OpenJDK|Java HotSpot)\b.* warning:/,
  /^Picked up (?:_?JAVA|JDK)/,
  /^at [\w.$/<>]+\(/,
  /^(?:Caused by: )?(?:java|javax|org|scala|kafka)\.[\w.$]+(?:Exception|Error)\b/,
  /^\.\.\. \d+ more$/,
];

function isLog(text: string): boolean {
  return LOG_PATTERNS.some((pattern) => pattern.test(text));
}

const BARE_PROMPT = /^(?:[\w.-]+@[\w.-]+[^$#>]{0,200}|\[[^\]]{1,200}\])?[$#>%]$/;
const DECORATION = /^(?:`{3}\w*|~{3,}|[-=_*+|]{3,})$/;
const TOOL_NAME = /kafka-(?:topics|consumer-groups|reassign-partitions)(?:\.sh|\.bat)?\s/;
const GROUP_OPTION = /\s--group[= ]+(?:'([^']*)'|"([^"]*)"|([^\s'"]+))/g;

/** A command line of one of Kafka's tools, with the groups that it names. */
export interface ToolCommand {
  readonly groups: readonly string[];
}

/** Reads `[prompt] [path/]kafka-consumer-groups.sh ... --group g`. A message that merely mentions a tool has no option. */
export function toolCommand(text: string): ToolCommand | undefined {
  const tool = TOOL_NAME.exec(text.slice(0, 2_000));
  if (tool === null || !text.includes(' --', tool.index)) return undefined;
  const groups: string[] = [];
  for (const match of text.slice(tool.index).matchAll(GROUP_OPTION)) groups.push(match[1] ?? match[2] ?? match[3]!);
  return { groups };
}
