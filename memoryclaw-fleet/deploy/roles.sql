-- As superuser, once: the owner of the tables, the role of the nodes, and the database.
create role memoryclaw_owner login;
create role memoryclaw_app login;
create database memoryclaw owner memoryclaw_owner encoding 'UTF8' template template0;
