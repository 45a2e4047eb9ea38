import type { AssignorLookup } from '@allot/planner';
import { answer, type Answers, type QuestionKind, type Questions } from './questions.js';

/** Where the planner runs. An injection token as well as a type. */
export abstract class Computing {
  /** @throws AllotError as the planner does. */
  abstract answer<K extends QuestionKind>(kind: K, question: Questions[K]): Promise<Answers[K]>;

  async close(): Promise<void> {}
}

/** On the calling thread: nothing else is served meanwhile. */
export class InlineComputing extends Computing {
  constructor(private readonly find: AssignorLookup) {
    super();
  }

  override async answer<K extends QuestionKind>(kind: K, question: Questions[K]): Promise<Answers[K]> {
    return answer(kind, question, this.find);
  }
}
