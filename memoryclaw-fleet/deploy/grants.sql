-- As the owner, after each `memoryclaw fleet migrate`: what the nodes and the workers may do.
grant usage on schema memoryclaw, memoryclaw_jobs to memoryclaw_app;
grant select, insert, update, delete on all tables in schema memoryclaw, memoryclaw_jobs to memoryclaw_app;
grant usage on all sequences in schema memoryclaw, memoryclaw_jobs to memoryclaw_app;
grant execute on all functions in schema memoryclaw, memoryclaw_jobs to memoryclaw_app;
