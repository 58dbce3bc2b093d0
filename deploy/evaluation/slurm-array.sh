#!/bin/sh
# One evaluation in 16 shards as a Slurm array: SHARED=/shared SLUICE_QUEUE_KEY=$HOME/queue.key sbatch slurm-array.sh
# Before: a backup of the history in the shared folder (sluice history backup "$SHARED/history.db").
# After: sluice eval merge "$SHARED"/shards --queue-key "$SLUICE_QUEUE_KEY"
#SBATCH --job-name=sluice-eval
#SBATCH --array=1-16%4
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --requeue
set -eu
: "${SLUICE_QUEUE_KEY:?names the file of the key that authenticates shards}"
# A history of each task alone: SQLite is no database for network file systems.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sluice history restore "$SHARED/history.db" --workspace "$work/workspace"
sluice eval run --workspace "$work/workspace" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX" --shard-folder "$SHARED/shards"
