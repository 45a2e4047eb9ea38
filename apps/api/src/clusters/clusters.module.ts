import { Module } from '@nestjs/common';
import { ClustersController } from './clusters.controller.js';
import { CatalogMutationsResolver } from './cluster-mutations.resolver.js';
import { ClustersResolver } from './clusters.resolver.js';

@Module({ controllers: [ClustersController], providers: [ClustersResolver, CatalogMutationsResolver] })
export class ClustersModule {}
