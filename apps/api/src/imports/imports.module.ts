import { Module } from '@nestjs/common';
import { ClusterImporter } from './cluster-importer.js';
import { ImportsResolver } from './imports.resolver.js';
import { ImportsController } from './imports.controller.js';

@Module({ controllers: [ImportsController], providers: [ImportsResolver, ClusterImporter] })
export class ImportsModule {}
