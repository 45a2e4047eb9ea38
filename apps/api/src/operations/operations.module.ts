import { Module } from '@nestjs/common';
import { OperationRunner } from './operation-runner.js';
import { OperationsController } from './operations.controller.js';

/** Long work in the background. The interceptor that makes operations of requests is registered with the others, in their order. */
@Module({ controllers: [OperationsController], providers: [OperationRunner], exports: [OperationRunner] })
export class OperationsModule {}
